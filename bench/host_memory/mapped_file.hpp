// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include <sys/mman.h>

#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>

namespace bench {

/// A file of floats that is mapped for reading and lies in the page cache, for it has just been written. It has no name.
class mapped_file {
 public:
  mapped_file(const float* from, std::int64_t items) : bytes_(static_cast<std::size_t>(items) * sizeof(float)) {
    std::FILE* const file = std::tmpfile();
    if (file == nullptr) throw std::runtime_error("mapped_file: no temporary file could be made");
    const bool written = std::fwrite(from, 1, bytes_, file) == bytes_ && std::fflush(file) == 0;
    void* const at = written ? ::mmap(nullptr, bytes_, PROT_READ, MAP_SHARED, ::fileno(file), 0) : MAP_FAILED;
    (void)std::fclose(file);
    if (at == MAP_FAILED) throw std::runtime_error("mapped_file: no room for " + std::to_string(bytes_) + " bytes");
    data_ = static_cast<const float*>(at);
  }
  mapped_file(const mapped_file&) = delete;
  mapped_file& operator=(const mapped_file&) = delete;
  ~mapped_file() { (void)::munmap(const_cast<float*>(data_), bytes_); }

  const float* data() const { return data_; }

 private:
  std::size_t bytes_;
  const float* data_ = nullptr;
};

}  // namespace bench
