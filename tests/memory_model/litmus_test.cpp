// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The explorer finds the published verdicts on litmus tests of PTX. Sources:
//
//   [ISA]    NVIDIA, PTX ISA 9.1, sections 8.10 and 8.11
//   [2019]   Lustig, Sahasrabuddhe, Giroux, A Formal Analysis of the NVIDIA PTX Memory Consistency Model
//   [NVlabs] github.com/NVlabs/mixedproxy, tests, of Lustig, Cooksey, Giroux, Mixed-Proxy Extensions, 2022
//   [Dat3M]  github.com/hernanponcedeleon/Dat3M, litmus/PTX/Manual and Memalloy, with the verdicts of Dartagnan
//   [shape]  a shape of Alglave, Maranget and Tautschnig, Herding Cats, 2014. The verdict follows from [2019]: PTX is
//            not multi-copy atomic, synchronisation is cumulative, and fence.sc restores sequential consistency
#include <gtest/gtest.h>

#include "memory_model/litmus.hpp"

namespace {

enum verdict { forbidden, allowed };
struct published {
  const char* name;
  verdict is;
  const char* text;
};

const published all[] = {
    {"[2019] figure 5, MP", forbidden, R"(
 P0@cta 0,gpu 0      | P1@cta 1,gpu 0       ;
 st.weak x, 1        | ld.acquire.gpu r1, y ;
 st.release.gpu y, 1 | ld.weak r2, x        ;
exists (P1:r1 == 1 /\ P1:r2 == 0))"},
    {"[ISA] 8.10.6, MP by fences", forbidden, R"(
 P0@cta 0,gpu 0      | P1@cta 0,gpu 1       ;
 st.weak x, 1        | ld.relaxed.sys r1, y ;
 fence.acq_rel.sys   | fence.acq_rel.sys    ;
 st.relaxed.sys y, 1 | ld.weak r2, x        ;
exists (P1:r1 == 1 /\ P1:r2 == 0))"},
    {"[Dat3M] MP of relaxed accesses", allowed, R"(
 P0@cta 0,gpu 0      | P1@cta 0,gpu 0       ;
 st.relaxed.sys x, 1 | ld.relaxed.sys r1, y ;
 st.relaxed.sys y, 1 | ld.relaxed.sys r2, x ;
exists (P1:r1 == 1 /\ P1:r2 == 0))"},
    {"[NVlabs] MP_cta in one CTA", forbidden, R"(
 P0@cta 0,gpu 0      | P1@cta 0,gpu 0       ;
 st.weak x, 2        | ld.acquire.cta r1, y ;
 st.release.cta y, 1 | ld.weak r2, x        ;
exists (P1:r1 == 1 /\ P1:r2 != 2))"},
    {"[Dat3M] MP-cta, whose scope is too narrow", allowed, R"(
 P0@cta 0,gpu 0      | P1@cta 1,gpu 0       ;
 st.weak x, 1        | ld.acquire.cta r1, y ;
 st.release.cta y, 1 | ld.weak r2, x        ;
exists (P1:r1 == 1 /\ P1:r2 == 0))"},
    {"[Dat3M] MICRO24-Fig4a, whose second fence is too narrow", allowed, R"(
 P0@cta 0,gpu 0      | P1@cta 1,gpu 0       ;
 st.relaxed.sys x, 1 | ld.relaxed.sys r1, y ;
 fence.sc.gpu        | fence.sc.cta         ;
 st.relaxed.sys y, 1 | ld.relaxed.sys r2, x ;
exists (P1:r1 == 1 /\ P1:r2 == 0))"},
    {"[ISA] 8.5, MP of two devices at the scope of one", allowed, R"(
 P0@cta 0,gpu 0      | P1@cta 0,gpu 1       ;
 st.weak x, 1        | ld.acquire.gpu r1, y ;
 st.release.gpu y, 1 | ld.weak r2, x        ;
exists (P1:r1 == 1 /\ P1:r2 == 0))"},
    {"[ISA] 8.8, a strong read before an acquire of its location", forbidden, R"(
 P0@cta 0,gpu 0      | P1@cta 1,gpu 0       | P2@cta 2,gpu 0      ;
 st.weak x, 1        | ld.relaxed.gpu r1, y | st.relaxed.gpu y, 2 ;
 st.release.gpu y, 1 | ld.acquire.gpu r2, y |                     ;
                     | ld.weak r3, x        |                     ;
exists (P1:r1 == 1 /\ P1:r2 == 2 /\ P1:r3 == 0))"},
    {"[ISA] 8.11.1, a reduction acquires nothing", allowed, R"(
 P0@cta 0,gpu 0      | P1@cta 1,gpu 0          ;
 st.weak x, 42       | red.relaxed.sys.add y, 1 ;
 st.release.gpu y, 1 | fence.acquire.gpu       ;
                     | ld.weak r1, x           ;
exists (y == 2 /\ P1:r1 == 0))"},
    {"the same by atom", forbidden, R"(
 P0@cta 0,gpu 0      | P1@cta 1,gpu 0               ;
 st.weak x, 42       | atom.relaxed.sys.add r0, y, 1 ;
 st.release.gpu y, 1 | fence.acquire.gpu            ;
                     | ld.weak r1, x                ;
exists (P1:r0 == 1 /\ P1:r1 == 0))"},
    {"[Dat3M] MP+RMW, a release sequence", forbidden, R"(
 P0@cta 0,gpu 0      | P1@cta 0,gpu 0                | P2@cta 0,gpu 0       ;
 st.relaxed.gpu x, 1 | atom.relaxed.gpu.add r0, y, 1 | ld.acquire.gpu r1, y ;
 st.release.gpu y, 1 |                               | ld.relaxed.gpu r2, x ;
exists (P1:r0 == 1 /\ P2:r1 == 2 /\ P2:r2 == 0))"},
    {"[NVlabs] Release_acquire_pattern", forbidden, R"(
 P0@cta 0,gpu 0      | P1@cta 1,gpu 0       ;
 st.weak y, 1        | ld.relaxed.sys r1, x ;
 st.release.sys x, 1 | fence.acq_rel.sys    ;
 st.relaxed.sys x, 2 | ld.weak r3, y        ;
exists (P1:r1 == 2 /\ P1:r3 == 0))"},
    {"[NVlabs] ISA2", forbidden, R"(
 P0@cta 0,gpu 0      | P1@cta 0,gpu 0       | P2@cta 1,gpu 0       ;
 st.weak x, 42       | ld.acquire.cta r0, y | ld.acquire.gpu r1, z ;
 st.release.cta y, 1 | st.release.gpu z, 1  | ld.weak r2, x        ;
exists (P1:r0 == 1 /\ P2:r1 == 1 /\ P2:r2 != 42))"},
    {"[Dat3M] fencefence4, a fence before the read", allowed, R"(
 P0@cta 0,gpu 0      | P1@cta 0,gpu 0       | P2@cta 0,gpu 0       ;
 st.weak x, 1        | st.relaxed.cta z, 1  | ld.relaxed.cta r1, z ;
 fence.acq_rel.cta   | fence.acq_rel.cta    | fence.acq_rel.cta    ;
 st.relaxed.cta y, 1 | ld.acquire.cta r0, y | ld.relaxed.cta r2, x ;
exists (P1:r0 == 1 /\ P2:r1 == 1 /\ P2:r2 == 0))"},
    {"[2019] figure 6, SB by fence.sc", forbidden, R"(
 P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;
 st.weak x, 1   | st.weak y, 1   ;
 fence.sc.gpu   | fence.sc.gpu   ;
 ld.weak r1, y  | ld.weak r2, x  ;
exists (P0:r1 == 0 /\ P1:r2 == 0))"},
    {"[ISA] 8.10.6, SB by fence.acq_rel", allowed, R"(
 P0@cta 0,gpu 0    | P1@cta 1,gpu 0    ;
 st.weak x, 1      | st.weak y, 1      ;
 fence.acq_rel.sys | fence.acq_rel.sys ;
 ld.weak r1, y     | ld.weak r2, x     ;
exists (P0:r1 == 0 /\ P1:r2 == 0))"},
    {"[NVlabs] SB+sc-cta-outScope", allowed, R"(
 P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;
 st.weak x, 1   | st.weak y, 1   ;
 fence.sc.cta   | fence.sc.cta   ;
 ld.weak r1, y  | ld.weak r2, x  ;
exists (P0:r1 == 0 /\ P1:r2 == 0))"},
    {"[NVlabs] SB_cta", forbidden, R"(
 P0@cta 0,gpu 0 | P1@cta 0,gpu 0 ;
 st.weak x, 1   | st.weak y, 2   ;
 fence.sc.cta   | fence.sc.cta   ;
 ld.weak r0, y  | ld.weak r1, x  ;
exists (P0:r0 != 2 /\ P1:r1 != 1))"},
    {"[NVlabs] SB_rmw", forbidden, R"(
 P0@cta 0,gpu 0                | P1@cta 1,gpu 0                ;
 atom.acq_rel.gpu.add r1, x, 1 | atom.acq_rel.gpu.add r3, y, 1 ;
 atom.acq_rel.gpu.add r2, y, 1 | atom.acq_rel.gpu.add r4, x, 1 ;
exists (P0:r2 == 0 /\ P1:r4 == 0))"},
    {"[NVlabs] SB_rmw_2", allowed, R"(
 P0@cta 0,gpu 0                | P1@cta 1,gpu 0       ;
 atom.acq_rel.gpu.add r1, x, 1 | st.relaxed.gpu y, 1  ;
 atom.acq_rel.gpu.add r2, y, 1 | ld.relaxed.gpu r3, x ;
exists (P0:r2 == 0 /\ P1:r3 == 0))"},
    {"[ISA] 8.10.4 and [2019] figure 8, LB out of thin air", forbidden, R"(
 P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;
 ld.weak r0, x  | ld.weak r1, y  ;
 st.weak y, r0  | st.weak x, r1  ;
exists (P0:r0 != 0 \/ P1:r1 != 0))"},
    {"[Dat3M] LB without dependencies", allowed, R"(
 P0@cta 0,gpu 0       | P1@cta 1,gpu 0       ;
 ld.relaxed.gpu r0, x | ld.relaxed.gpu r1, y ;
 st.relaxed.gpu y, 1  | st.relaxed.gpu x, 1  ;
exists (P0:r0 == 1 /\ P1:r1 == 1))"},
    {"[Dat3M] LB by release and acquire", forbidden, R"(
 P0@cta 0,gpu 0       | P1@cta 1,gpu 0       ;
 ld.acquire.gpu r0, x | ld.acquire.gpu r1, y ;
 st.release.gpu y, 1  | st.release.gpu x, 1  ;
exists (P0:r0 == 1 /\ P1:r1 == 1))"},
    {"[ISA] 8.10.3, increments are atomic", forbidden, R"(
 P0@cta 0,gpu 0                | P1@cta 0,gpu 1                ;
 atom.relaxed.sys.add r0, x, 1 | atom.relaxed.sys.add r0, x, 1 ;
exists (x == 1))"},
    {"[ISA] 8.10.3, unless a scope is too narrow", allowed, R"(
 P0@cta 0,gpu 0                | P1@cta 1,gpu 0                ;
 atom.relaxed.cta.add r0, x, 1 | atom.relaxed.gpu.add r0, x, 1 ;
exists (x == 1))"},
    {"[ISA] 8.10.5, CoRR", forbidden, R"(
 P0@cta 0,gpu 0      | P1@cta 0,gpu 1       ;
 st.relaxed.sys x, 1 | ld.relaxed.sys r1, x ;
                     | ld.relaxed.sys r2, x ;
exists (P1:r1 == 1 /\ P1:r2 == 0))"},
    {"[2019] figure 9a, CoRR whose second read is weak", forbidden, R"(
 P0@cta 0,gpu 0      | P1@cta 1,gpu 0       ;
 st.relaxed.gpu x, 1 | ld.relaxed.gpu r1, x ;
                     | ld.weak r2, x        ;
exists (P1:r1 == 1 /\ P1:r2 == 0))"},
    {"[Dat3M] CoRR-weak-weak", allowed, R"(
 P0@cta 0,gpu 0      | P1@cta 1,gpu 0 ;
 st.release.gpu x, 1 | ld.weak r1, x  ;
                     | ld.weak r2, x  ;
exists (P1:r1 == 1 /\ P1:r2 == 0))"},
    {"[2019] figure 9b, CoRW", forbidden, R"(
 P0@cta 0,gpu 0      | P1@cta 1,gpu 0       ;
 st.relaxed.gpu x, 1 | ld.relaxed.gpu r1, x ;
                     | st.weak x, 2         ;
exists (P1:r1 == 1 /\ x == 1))"},
    {"[2019] figure 9c, CoWR", forbidden, R"(
 P0@cta 0,gpu 0      | P1@cta 1,gpu 0      ;
 st.relaxed.gpu x, 1 | st.relaxed.gpu x, 2 ;
                     | ld.weak r1, x       ;
exists (x == 2 /\ P1:r1 == 1))"},
    {"[2019] figure 9d, CoWW", forbidden, R"(
 P0@cta 0,gpu 0 ;
 st.weak x, 1   ;
 st.weak x, 2   ;
exists (x == 1))"},
    {"[Dat3M] Coherence", forbidden, R"(
 P0@cta 0,gpu 0      | P1@cta 0,gpu 0      | P2@cta 0,gpu 0       | P3@cta 0,gpu 0       ;
 st.relaxed.sys x, 1 | st.relaxed.sys x, 2 | ld.acquire.sys r0, x | ld.acquire.sys r2, x ;
                     |                     | ld.acquire.sys r1, x | ld.acquire.sys r3, x ;
exists (P2:r0 == 1 /\ P2:r1 == 2 /\ P3:r2 == 2 /\ P3:r3 == 1))"},
    {"[Dat3M] Coherence-weak: coherence orders no racing writes", allowed, R"(
 P0@cta 0,gpu 0 | P1@cta 0,gpu 0 | P2@cta 0,gpu 0       | P3@cta 0,gpu 0       ;
 st.weak x, 1   | st.weak x, 2   | ld.acquire.sys r0, x | ld.acquire.sys r2, x ;
                |                | ld.acquire.sys r1, x | ld.acquire.sys r3, x ;
exists (P2:r0 == 1 /\ P2:r1 == 2 /\ P3:r2 == 2 /\ P3:r3 == 1))"},
    {"[shape] IRIW by acquire: not multi-copy atomic", allowed, R"(
 P0@cta 0,gpu 0      | P1@cta 1,gpu 0       | P2@cta 2,gpu 0      | P3@cta 3,gpu 0       ;
 st.release.gpu x, 1 | ld.acquire.gpu r0, x | st.release.gpu y, 1 | ld.acquire.gpu r2, y ;
                     | ld.acquire.gpu r1, y |                     | ld.acquire.gpu r3, x ;
exists (P1:r0 == 1 /\ P1:r1 == 0 /\ P3:r2 == 1 /\ P3:r3 == 0))"},
    {"[shape] IRIW by fence.sc", forbidden, R"(
 P0@cta 0,gpu 0      | P1@cta 1,gpu 0       | P2@cta 2,gpu 0      | P3@cta 3,gpu 0       ;
 st.relaxed.gpu x, 1 | ld.relaxed.gpu r0, x | st.relaxed.gpu y, 1 | ld.relaxed.gpu r2, y ;
                     | fence.sc.gpu         |                     | fence.sc.gpu         ;
                     | ld.relaxed.gpu r1, y |                     | ld.relaxed.gpu r3, x ;
exists (P1:r0 == 1 /\ P1:r1 == 0 /\ P3:r2 == 1 /\ P3:r3 == 0))"},
    {"[shape] WRC by release and acquire: cumulative", forbidden, R"(
 P0@cta 0,gpu 0      | P1@cta 1,gpu 0       | P2@cta 2,gpu 0       ;
 st.relaxed.gpu x, 1 | ld.relaxed.gpu r0, x | ld.acquire.gpu r1, y ;
                     | st.release.gpu y, 1  | ld.relaxed.gpu r2, x ;
exists (P1:r0 == 1 /\ P2:r1 == 1 /\ P2:r2 == 0))"},
    {"[shape] WRC of relaxed accesses and a dependency", allowed, R"(
 P0@cta 0,gpu 0      | P1@cta 1,gpu 0       | P2@cta 2,gpu 0       ;
 st.relaxed.gpu x, 1 | ld.relaxed.gpu r0, x | ld.acquire.gpu r1, y ;
                     | st.relaxed.gpu y, r0 | ld.relaxed.gpu r2, x ;
exists (P1:r0 == 1 /\ P2:r1 == 1 /\ P2:r2 == 0))"},
    {"[shape] 2+2W by release", allowed, R"(
 P0@cta 0,gpu 0      | P1@cta 1,gpu 0      ;
 st.relaxed.gpu x, 1 | st.relaxed.gpu y, 1 ;
 st.release.gpu y, 2 | st.release.gpu x, 2 ;
exists (x == 1 /\ y == 1))"},
    {"[shape] 2+2W by fence.sc", forbidden, R"(
 P0@cta 0,gpu 0      | P1@cta 1,gpu 0      ;
 st.relaxed.gpu x, 1 | st.relaxed.gpu y, 1 ;
 fence.sc.gpu        | fence.sc.gpu        ;
 st.relaxed.gpu y, 2 | st.relaxed.gpu x, 2 ;
exists (x == 1 /\ y == 1))"},
    {"[2019] 3.4.2, a barrier orders its CTA", forbidden, R"(
 P0@cta 0,gpu 0 | P1@cta 0,gpu 0 ;
 st.weak x, 1   | bar.cta.sync 0 ;
 bar.cta.sync 0 | ld.weak r0, x  ;
exists (P1:r0 == 0))"},
    {"[Dat3M] PC-bar-sync-arrive: an arrival does not wait", allowed, R"(
 P0@cta 0,gpu 0   | P1@cta 0,gpu 0   ;
 ld.weak r0, x    | bar.cta.arrive 1 ;
 bar.cta.sync 0   | st.weak x, 1     ;
 bar.cta.arrive 1 | bar.cta.sync 0   ;
exists (P0:r0 == 1))"},
};

TEST(memory_model_litmus, published_verdicts) {
  for (const published& each : all)
    EXPECT_EQ(memory_model::litmus(each.text).holds(), each.is == allowed) << each.name << each.text;
}

TEST(memory_model_litmus, no_execution_is_missed) {
  using memory_model::litmus;
  // Each read sees either write.
  EXPECT_EQ(
      litmus("P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\n st.weak x, 1 | st.weak y, 1 ;\n ld.weak r0, y | ld.weak r1, x ;")
          .executions(),
      4);
  EXPECT_EQ(
      litmus("P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\n ld.weak r0, y | ld.weak r1, x ;\n st.weak x, 1 | st.weak y, 1 ;")
          .executions(),
      4);
  // All orders of three increments.
  EXPECT_EQ(litmus("P0@cta 0,gpu 0 | P1@cta 1,gpu 0 | P2@cta 2,gpu 0 ;\n"
                   "atom.relaxed.gpu.add r0, x, 1 | atom.relaxed.gpu.add r0, x, 1 | atom.relaxed.gpu.add r0, x, 1 ;")
                .executions(),
            6);
  // Coherence orders strong writes in either way, and weak ones not at all.
  EXPECT_EQ(litmus("P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\n st.relaxed.gpu x, 1 | st.relaxed.gpu x, 2 ;").executions(), 2);
  EXPECT_EQ(litmus("P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\n st.weak x, 1 | st.weak x, 2 ;").executions(), 1);
  // Two reads of one location go forward, unless they are weak.
  EXPECT_EQ(
      litmus(
          "P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\n st.relaxed.gpu x, 1 | ld.relaxed.gpu r0, x ;\n | ld.relaxed.gpu r1, x ;")
          .executions(),
      3);
  EXPECT_EQ(litmus("P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\n st.relaxed.gpu x, 1 | ld.weak r0, x ;\n | ld.weak r1, x ;")
                .executions(),
            4);
  // A read of another thread's write comes before the own one, unless it is weak.
  EXPECT_EQ(
      litmus(
          "P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\n st.relaxed.gpu x, 1 | ld.relaxed.gpu r0, x ;\n | st.relaxed.gpu x, 2 ;")
          .executions(),
      3);
  EXPECT_EQ(
      litmus("P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\n st.relaxed.gpu x, 1 | ld.weak r0, x ;\n | st.relaxed.gpu x, 2 ;")
          .executions(),
      4);
}

}  // namespace
