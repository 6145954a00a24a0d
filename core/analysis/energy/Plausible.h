#pragma once
// Figures of efficiency that cannot be, for people: what is stated is not what ran.

#include <optional>
#include <string>

namespace trainscope::analysis {

// Whether a share of the GPU's peak is more than there is.
bool isImplausibleMfu(const std::optional<double>& mfu);
// "An MFU of 143 % is more than the GPUs can do: …", and what is likely wrong; figures: "143 %".
std::string implausibleMfuText(const std::string& figures);

} // namespace trainscope::analysis
