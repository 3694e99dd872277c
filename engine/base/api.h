/* api.h — marks what the installed library exports.
 *
 * The engine is compiled with hidden symbols.  A function in an installed header carries HYB_API; engine/abi.txt
 * lists them all, and tests/engine/check-exports.sh compares the list, the headers and the library.
 * Threads: macros only.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once
/* Marks the functions that the library exports. */
#define HYB_API __attribute__ ((visibility ("default")))

/* HYB_OPTIONS (Type, .member = value, …): the address of a constant struct of a type that lives until
 * the end of the expression; HYB_STRINGS ("a", "b"): such an array of strings that ends with NULL.
 * C++ needs version 20 and the members in the order of their declaration. */
#ifdef __cplusplus
#include <forward_list>
#include <initializer_list>
#include <vector>
/* Code that leaves out members of structs, which g++ -Wextra warns of even where it means their default. */
#define HYB_LEAVES_OUT_MEMBERS(...)                                       \
  _Pragma ("GCC diagnostic push")                                         \
      _Pragma ("GCC diagnostic ignored \"-Wmissing-field-initializers\"") \
          __VA_ARGS__ _Pragma ("GCC diagnostic pop")
/* Strings that live as long as the struct whose members point to them. */
struct HybWords
{
  std::forward_list<std::vector<const char *> > lists;
};
/* Outside of HYB_OPTIONS(), where HYB_STRINGS() lives until the end of the expression. */
struct HybNoWords
{
};
inline constexpr HybNoWords hyb_words{};
/* The implementation of HYB_STRINGS() in C++. */
inline const char *const *
hyb_strings (const HybNoWords &, std::initializer_list<const char *> list)
{
  return list.begin ();
}
/* The same for a member of HYB_OPTIONS(). */
inline const char *const *
hyb_strings (HybWords &words, std::initializer_list<const char *> list)
{
  return words.lists.emplace_front (list).data ();
}
/* The result of HYB_OPTIONS() in C++: a struct and the strings of its members. */
template <typename Type> struct HybTemporary
{
  HybWords words;
  Type     options;

  template <typename Make> explicit HybTemporary (Make make) : options (make (words))
  {
  }
  const Type *
  get () const
  {
    return &options;
  }
};

/* The struct is made in a function of its own, where g++ -Wextra does not warn about omitted members. */
#define HYB_OPTIONS(Type, ...)                                             \
  HybTemporary<Type> ([&] ([[maybe_unused]] HybWords &hyb_words) -> Type { \
    HYB_LEAVES_OUT_MEMBERS (return Type{ __VA_ARGS__ };)                   \
  }).get ()
#define HYB_STRINGS(...) hyb_strings (hyb_words, { __VA_ARGS__, nullptr, nullptr })
#else
#define HYB_LEAVES_OUT_MEMBERS(...) __VA_ARGS__                                        /* in C */
#define HYB_OPTIONS(Type, ...)      (&(const Type){ __VA_ARGS__ })                     /* in C */
#define HYB_STRINGS(...)            ((const char *const[]){ __VA_ARGS__, NULL, NULL }) /* in C */
#endif
