// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which kernel over axes takes a shape: pure functions, testable without a GPU.
#pragma once
#include <warpfold/axes/policy.hpp>
#include <warpfold/axes/shape.hpp>

namespace warpfold::axis_reduction {
inline namespace WARPFOLD_HIDDEN_V1 {

/// What lies closest together: items of an output, as in rows, or items of neighbouring outputs, as in columns; or the
/// strides decide.
enum class item_order { by_strides, rows, columns };

/// Which kernel takes a shape, and how it reads.
enum class kernel_kind { columns, few_items, rows, narrow, tiles };
struct kernel_choice {
  kernel_kind kind;
  int vector;       ///< items that a thread reads at once
  bool is_aligned;  ///< whether these are vectors; of narrow matrices, whether these begin at multiples of 16 bytes
  bool has_vectors = false;   ///< of columns: whether 16 bytes of neighbours always lie together, and are aligned
  bool is_scattered = false;  ///< of rows: whether chunks are no vectors, nor all items adjacent
  int unit = 1;               ///< of rows: how many items are a vector wherever the first one's number is a multiple
};

/// Whether vectors of `vector` items along the axis `inner` of `given`, which has stride 1, are aligned.
inline bool has_vectors(const shape& given, const axis_list::axis& inner, std::uintptr_t address, int vector,
                        std::size_t item_bytes) {
  const auto are_aligned = [&](const axis_list& list) {
    bool are_multiples = true;
    for (int i = 0; i < list.rank; ++i)
      are_multiples = are_multiples &&
                      (&list.axes[i] == &inner || list.axes[i].extent == 1 || list.axes[i].in_stride % vector == 0);
    return are_multiples;
  };
  return inner.in_stride == 1 && address % (static_cast<std::size_t>(vector) * item_bytes) == 0 &&
         are_aligned(given.kept) && are_aligned(given.reduced);
}

/// Whether each output column is one of a matrix of few columns, whose rows are adjacent or nearly so.
inline bool has_narrow_matrices(const shape& given) {
  const axis_list::axis &kept = given.kept.inner(), &reduced = given.reduced.inner();
  return given.reduced.rank == 1 && given.reduced_items > 1 && kept.in_stride == 1 && kept.extent <= max_tile_columns &&
         kept.extent <= reduced.in_stride && 2 * reduced.in_stride <= 3 * kept.extent && given.outputs > 1;
}

/// Whether rows are adjacent and as short as the narrow kernel wants them, and there are enough of them for a block.
inline bool has_long_narrow_matrices(const shape& given) {
  const axis_list::axis& kept = given.kept.inner();
  return has_narrow_matrices(given) && kept.extent <= max_narrow_columns && kept.extent > 1 &&
         given.reduced.inner().in_stride == kept.extent &&
         (given.kept.rank == 1 || given.reduced_items >= min_narrow_rows);
}

/// Whether matrices of `kept` columns, the first at `address`, begin at multiples of 16 bytes.
inline bool are_whole_vectors_apart(const axis_list& kept, std::uintptr_t address, std::int64_t item_bytes) {
  bool are_multiples = address % 16 == 0;
  for (int i = 0; i < kept.rank - 1; ++i)
    are_multiples = are_multiples && kept.axes[i].in_stride * item_bytes % 16 == 0;
  return are_multiples;
}

/// Whether rows of items that lie apart are gathered in batches of `batch_items`, where lanes do not fold runs.
/// Otherwise they are read item by item, in chunks of `chunk_items`. `bytes` bytes can be copied at once; fewer than 4
/// would go through registers. (On an H200, sums of 512x2048x50 halves over axes 0 and 2 take 40 us gathered, 58 one by
/// one; of 512x2048x49, 78 and 58.)
inline bool gains_by_gathering(const shape& given, std::size_t bytes, int chunk_items, std::int64_t batch_items) {
  const bool are_hard_to_find = given.reduced.rank > 2 || given.reduced.inner().extent < chunk_items;
  return bytes % 4 == 0 && (are_hard_to_find || given.reduced_items >= least_gathered_batches * batch_items);
}

/// Chooses by what lies closest together: items of an output, or items of neighbouring outputs. `address` is that of
/// the first item; `column_vector` and `row_chunk` are the most items that the kernels read at once, and `held_bytes`
/// what a thread holds for each of few items, of which it may have `long_rounds`. `order` is what the types of the call
/// say of this.
inline kernel_choice choose_kernel(const shape& given, std::uintptr_t address, std::size_t item_bytes,
                                   std::size_t held_bytes, int column_vector, int row_chunk,
                                   item_order order = item_order::by_strides, bool long_rounds = false) {
  const axis_list::axis &kept = given.kept.inner(), &reduced = given.reduced.inner();
  const std::int64_t step = std::abs(reduced.in_stride), bytes = static_cast<std::int64_t>(item_bytes);
  const bool is_tiny_run = given.reduced.rank > 1 && reduced.extent * step * bytes < sector_bytes &&
                           kept.in_stride * bytes <= 2 * sector_bytes;
  const bool by_rows = given.reduced_items > 1 && (given.outputs == 1 || (step < kept.in_stride && !is_tiny_run));
  if (order == item_order::columns || (order == item_order::by_strides && !by_rows)) {
    const bool fits = kept.extent % column_vector == 0 && has_vectors(given, kept, address, column_vector, item_bytes);
    const int vector = fits ? column_vector : 1;
    // Of narrow rows, caches keep the rest of a sector.
    const bool are_near =
        kept.extent * bytes >= 2 * sector_bytes || (has_narrow_matrices(given) && !has_long_narrow_matrices(given));
    if (are_near &&
        given.reduced_items <= most_few_items(greatest_of(item_bytes, held_bytes), given.outputs, long_rounds))
      return {kernel_kind::few_items, vector, true};
    const bool is_vector_of_rows = order == item_order::columns && given.outputs == 1 && reduced.in_stride == 1;
    if (is_vector_of_rows || has_long_narrow_matrices(given))
      return {kernel_kind::narrow, vector, are_whole_vectors_apart(given.kept, address, bytes)};
    // (On an H200, sums of 400000x40x7 bytes over the middle take 109 us in tiles, and 182 by columns; of 100000x100x5
    // floats 114 and 65, moments of these 411 and 80.)
    if (takes_tiles(item_bytes) && vector == 1 && has_narrow_matrices(given) && kept.extent * bytes < 2 * sector_bytes)
      return {kernel_kind::tiles, vector, true};
    const int whole = item_bytes <= 16 && 16 % item_bytes == 0 ? static_cast<int>(16 / item_bytes) : 1;
    return {kernel_kind::columns, vector, true,
            kept.extent % whole == 0 && has_vectors(given, kept, address, whole, item_bytes)};
  }
  const bool are_whole = reduced.extent % row_chunk == 0 || given.reduced.rank == 1;
  const bool is_aligned = are_whole && has_vectors(given, reduced, address, row_chunk, item_bytes);
  const bool are_adjacent = given.reduced.rank == 1 && reduced.in_stride == 1;
  int unit = row_chunk;
  while (unit > 1 && ((given.reduced.rank > 1 && reduced.extent % unit != 0) ||
                      !has_vectors(given, reduced, address, unit, item_bytes)))
    unit /= 2;
  return {kernel_kind::rows,
          row_chunk,
          is_aligned || row_chunk == 1,
          false,
          !is_aligned && !are_adjacent && row_chunk > 1,
          unit};
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::axis_reduction
