// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Traits of nvcc's extended lambdas. To the compiler of the host's code
//
// - a `__device__` lambda cannot be called as const, and what it returns is known only if it is declared;
// - a `__host__ __device__` lambda with captures is a wrapper: the captures, and a pointer to the lambda on the host's
//   heap. Its copy constructor and its destructor manage that, so it is not trivially copyable. Kernels get its bytes,
//   and read only the captures. A launch copies its arguments before it sends their bytes, so the host may
//   destroy its own.
//
// The compiler of the device's code, which also reads the host's, sees both lambdas as they are written.
#pragma once
#include <warpfold/config.hpp>
#include <warpfold/standard.hpp>

namespace warpfold {

/// True for an extended __device__ lambda. Its call operator is not const on the host's side.
template <class F>
inline constexpr bool is_extended_lambda =
#if defined(__CUDACC_EXTENDED_LAMBDA__)
    __nv_is_extended_device_lambda_closure_type(F);
#else
    false;
#endif

/// True for an extended __device__ lambda whose return type the host may not ask for, since it is not declared.
template <class F>
inline constexpr bool is_device_lambda =
#if defined(__CUDACC_EXTENDED_LAMBDA__)
    __nv_is_extended_device_lambda_closure_type(F) && !__nv_is_extended_device_lambda_with_preserved_return_type(F);
#else
    false;
#endif

namespace detail {

#if defined(__CUDACC_EXTENDED_LAMBDA__) && !defined(__CUDA_ARCH__)
/// Whether a `T`, on the host's side, is a __host__ __device__ lambda or has one among its template arguments, as
/// iterators and operators do that hold one.
template <class T> inline constexpr bool holds_wrapped_lambda = __nv_is_extended_host_device_lambda_closure_type(T);
template <class T> inline constexpr bool holds_wrapped_lambda<const T> = holds_wrapped_lambda<T>;
template <template <class...> class Template, class... Ts>
inline constexpr bool holds_wrapped_lambda<Template<Ts...>> = (holds_wrapped_lambda<Ts> || ...);
#else
template <class T> inline constexpr bool holds_wrapped_lambda = false;
#endif

#if defined(__CUDACC__) && !defined(__CUDACC_RTC__)
/// Whether `F` has `part` in its name as nvcc's front end prints it, which is "... [with F = lambda [](int)->int]",
/// say.
template <class F> consteval bool has_in_name(const char* part) {
  for (const char* name = __PRETTY_FUNCTION__; *name != 0; ++name) {
    const char *own = name, *other = part;
    while (*other != 0 && *own == *other) ++own, ++other;
    if (*other == 0) return true;
  }
  return false;
}
/// True for a lambda of the host's: one without __device__ or __host__ __device__.
template <class F>
inline constexpr bool is_host_lambda = !is_extended_lambda<F> && !holds_wrapped_lambda<F> &&
#if defined(__CUDACC_EXTENDED_LAMBDA__)
                                       !__nv_is_extended_host_device_lambda_closure_type(F) &&
#endif
                                       has_in_name<F>("= lambda [");
/// True for the function objects of <functional>, which device code may not call.
template <class F>
inline constexpr bool is_host_function_object =
#if defined(__CUDACC_RELAXED_CONSTEXPR__)
    false;
#else
    has_in_name<F>("= std::plus<") || has_in_name<F>("= std::multiplies<") || has_in_name<F>("= std::bit_") ||
    has_in_name<F>("= std::logical_") || has_in_name<F>("= std::negate<");
#endif
#else
template <class F> inline constexpr bool is_host_lambda = false;
template <class F> inline constexpr bool is_host_function_object = false;
#endif
/// Whether device code can call an `F`, as far as that can be told.
template <class F> inline constexpr bool is_callable_on_device = !is_host_lambda<F> && !is_host_function_object<F>;
template <class F> WARPFOLD_JIT consteval bool check_callable_on_device() {
  static_assert(
      !is_host_lambda<F>,
      "warpfold: the lambda is the host's: write [] __device__(...) or [] __host__ __device__(...), and compile "
      "with --extended-lambda");
  static_assert(!is_host_function_object<F>,
                "warpfold: std's function objects are the host's: use warpfold's or cuda::std's, or compile with "
                "--expt-relaxed-constexpr");
  return is_callable_on_device<F>;
}

/// Whether a kernel can get a `T` by its bytes. Where a wrapper hides that from the host, the device's compiler says
/// it: it refuses lambdas whose captures are not trivially copyable.
template <class T>
inline constexpr bool is_passed_by_bytes = std::is_copy_constructible_v<T> &&
                                           (std::is_trivially_copyable_v<T> || holds_wrapped_lambda<T>);

/// Whether a kernel can get a `T` that it need not destroy. Iterators may have a copy constructor of their own.
template <class T>
inline constexpr bool needs_no_destructor = std::is_trivially_destructible_v<T> || holds_wrapped_lambda<T>;

}  // namespace detail
}  // namespace warpfold
