#pragma once
// Names of things beside each other, such as runs, captures and files: the words that all of them
// share are left out, what differs stays, and no two read alike. Pure; any thread.

#include <compare>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace trainscope::text {

// A name with facts that tell it from an equal one, the most telling first: start, machine, folder.
struct Named {
    std::string name;
    std::vector<std::string> facts = {};
};

// The names by place. Words that all begin or end with are left out where that saves four bytes of
// an end, as long as each name keeps a word that says something by itself: one with two letters, or
// with a letter among three characters. Words are separated by / _ - . : and blanks. Then as
// toldApart().
std::vector<std::string> tellingNames(std::span<const Named> names);
std::vector<std::string> tellingNames(std::span<const std::string> names);

// The names by place, whole. Equal ones, and those with a number behind the name of another
// ("train", "train (2)", "train 3"), get the first fact that tells them apart ("train · 22:37:00"),
// else all that differ; equal ones without such facts their number.
std::vector<std::string> toldApart(std::span<const Named> names);

// Each name as far as it fits: cut in its middle, or, where two would read alike, before what
// tells them apart. A name of which nothing fits stays.
using Fits = std::function<bool(std::string_view)>;
std::vector<std::string> fittedNames(std::span<const std::string> names, const Fits& fits);

// In a sentence: "a, b and c".
std::string joined(std::span<const std::string> names);

// The order in which people list names with numbers in them, r2 before r10. Pure; any thread.

// Runs of digits compare as numbers, everything else as bytes.
std::strong_ordering naturalOrder(std::string_view a, std::string_view b);

} // namespace trainscope::text
