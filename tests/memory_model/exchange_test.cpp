// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A value and its flag in one word, and the exchange between devices that is made of such words.
#include "memory_model/protocol.hpp"

namespace {

using namespace memory_model;

/// grid/published_value.cuh, by_key/carry_messages.cuh: a value in two messages of 16 bytes. Each is one access, and
/// holds a flag. `10 + n` stands for the flag and part n of the value.
program published_value(orders& with) {
  program all;
  const int first = all.location("first message"), second = all.location("second message");
  const int flag = all.location("flag apart"), apart = all.location("value apart");
  all.run("publisher", {0}, [=, &with](thread& own) {
    const order publish = with.access("publish", relaxed(scope::gpu));
    if (with.step("one access")) own.write(first, 11, publish);
    else own.write(apart, 11, publish), own.write(flag, 1, publish);
    own.write(second, 12, publish);
  });
  all.run("receiver", {1}, [=, &with](thread& own) {
    const order observe = with.access("observe", relaxed(scope::gpu));
    const auto is_there = [](int seen) { return seen != 0; };
    value one;
    if (with.step("one access")) one = own.await(first, observe, is_there);
    else own.await(flag, observe, is_there), one = own.read(apart, observe);
    own.expect(one == 11, "half a message");
    own.expect(own.await(second, observe, is_there) == 12, "half a message");
  });
  return all;
}

TEST(memory_model_message, value_and_flag_in_one_access) { check("published value", published_value, {}); }

/// ranks/mailboxes.cuh: two devices, three exchanges. A word holds the number of its exchange; exchange e uses half e
/// mod 2. A kernel has a thread that puts and one that takes. It ends before the next one on its device begins.
program mailboxes(orders& with) {
  program all;
  int half[2][2], stream[2];
  for (int r = 0; r < 2; ++r) {
    for (int& own : half[r]) own = all.location(r == 0 ? "half of 0" : "half of 1");
    stream[r] = all.barrier(2);
  }
  for (int r = 0; r < 2; ++r) {
    const auto end_kernel = [=, &with](thread& own, int exchange) {
      if (exchange < 3 && with.step("kernels follow each other")) own.sync(stream[r]);
    };
    all.run("puts", {0, r}, [=, &with](thread& own) {
      for (int exchange = 1; exchange <= 3; ++exchange) {
        const int place = with.step("two halves") ? exchange % 2 : 0;
        own.write(half[1 - r][place], exchange, with.access("put", relaxed(scope::sys)));
        end_kernel(own, exchange);
      }
    });
    all.run("takes", {0, r}, [=, &with](thread& own) {
      for (int exchange = 1; exchange <= 3; ++exchange) {
        const int place = with.step("two halves") ? exchange % 2 : 0;
        own.await(half[r][place], with.access("take", relaxed(scope::sys)),
                  [=](int number) { return number == exchange; });
        end_kernel(own, exchange);
      }
    });
  }
  return all;
}

TEST(memory_model_mailboxes, three_exchanges_of_two_devices) { check("mailboxes", mailboxes, {}); }

/// The same on one device: two threads of its last block, in two kernels. Thread 1 reads the number of the last exchange
/// while thread 0 arrives at a ticket, as another block does for nothing; thread 0 writes it. Thread 1 takes a word,
/// which thread 0 reads.
program taken_words(orders& with) {
  program all;
  const auto read_number = [](orders& of) { return of.access("read the number", relaxed(scope::gpu)); };
  const int exchanges = all.location("exchanges"), start = all.location("start"), word = all.location("word"),
            taken = all.location("taken"), prepared = all.barrier(2), complete = all.barrier(2),
            stream = all.barrier(3);
  all.run("peer", {0, 1}, [=](thread& own) { own.write(word, 7, relaxed(scope::sys)); });
  all.run("another block", {1, 0}, [=, &with](thread& own) {
    (void)own.read(exchanges, read_number(with));
    own.arrive(stream);
  });
  all.run("thread 0", {0, 0}, [=, &with](thread& own) {
    for (int exchange = 1; exchange <= 2; ++exchange) {
      if (with.step("barrier after prepare")) own.sync(prepared);
      own.expect(own.read(start, weak) == exchange - 1, "another exchange");
      if (with.step("barriers of is_complete")) own.sync(complete);
      own.expect(own.read(taken, weak) == 7, "a word that is not there");
      own.write(exchanges, exchange, with.access("write the number", relaxed(scope::gpu)));
      if (exchange < 2 && with.step("kernels follow each other")) own.sync(stream);
    }
  });
  all.run("thread 1", {0, 0}, [=, &with](thread& own) {
    for (int exchange = 1; exchange <= 2; ++exchange) {
      own.write(start, own.read(exchanges, read_number(with)), weak);
      if (with.step("barrier after prepare")) own.sync(prepared);
      own.write(taken, own.await(word, relaxed(scope::sys), [](int seen) { return seen != 0; }), weak);
      if (with.step("barriers of is_complete")) own.sync(complete);
      if (exchange < 2 && with.step("kernels follow each other")) own.sync(stream);
    }
  });
  return all;
}

TEST(memory_model_mailboxes, words_that_threads_share) { check("taken words", taken_words, {}); }

}  // namespace
