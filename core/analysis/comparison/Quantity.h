#pragma once
// The quantities by which runs are compared, and what they can be divided by.

#include "core/model/EnumNames.h"
#include "core/model/Result.h"

#include <vector>

namespace trainscope::analysis {

enum class Better { Higher, Lower, Neither };
constexpr auto namesOf(Better) {
    return enumNames("higher", "lower", "neither");
}

enum class Normalisation { Absolute, PerGpu, PerNode, PerToken };
constexpr auto namesOf(Normalisation) {
    return enumNames("absolute", "per-gpu", "per-node", "per-token");
}
constexpr auto titlesOf(Normalisation) {
    return enumNames("absolute", "per GPU", "per node", "per token");
}
using trainscope::titleOf;

// Tokens that a quantity is divided by: those of a step, or those of all steps of the window.
enum class TokensOf { Nothing, Step, Window };
constexpr auto namesOf(TokensOf) {
    return enumNames("nothing", "step", "window");
}

struct QuantityInfo {
    std::string key; // "mean_power_w": ends in its unit
    std::string title; // "Mean power"
    std::string unit; // SI symbol; "1" for fractions and plain numbers
    Better better = Better::Neither;
    std::string definition; // for people: numerator, denominator
    bool isOfMachine = false; // grows with it: may be divided by GPUs and nodes
    TokensOf tokens = TokensOf::Nothing;
    std::vector<std::string> words = {}; // other names: "hottest", "gpu_temperature.max"
};

// Keys of the quantities that decide a verdict.
inline constexpr std::string_view kTokensPerJoule = "tokens_per_j";
inline constexpr std::string_view kTokensPerGpu = "tokens_per_s_per_gpu";

const std::vector<QuantityInfo>& comparedQuantities();
std::string_view builtInQuantities(); // the text of resources/quantities.json, compiled in
// Its place in that list; absent for an unknown key.
std::optional<std::size_t> quantityIndex(std::string_view key);
// The same by what people call it: its key, else the first that has the word, else whose key goes
// on behind it ("energy": energy_per_step_j), those with a better direction before others. Usage
// names those that are written alike.
Result<std::size_t> namedQuantity(std::string_view name);

// True where the normalisation divides that quantity; else it stays as it is.
bool isDivided(const QuantityInfo& quantity, Normalisation by);
bool isShare(const QuantityInfo& quantity); // a fraction that people read as %
std::string unitOf(const QuantityInfo& quantity, Normalisation by); // "W/GPU", "J/token"
// "Mean power: sum over the GPUs of …, divided by the GPUs of the job"
std::string wordingOf(const QuantityInfo& quantity, Normalisation by);

} // namespace trainscope::analysis
