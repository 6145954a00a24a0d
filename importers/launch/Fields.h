#pragma once
// Looks the settings of a launch configuration up by the names that frameworks give them, below the
// places where configurations keep them. A value that is not stated, or computed from others, is
// absent.

#include "core/model/Run.h"
#include "importers/launch/Settings.h"

#include <initializer_list>
#include <vector>

namespace trainscope::importers::launch {

using Keys = std::initializer_list<std::string_view>; // written with underscores

class Fields {
public:
    explicit Fields(const Settings& scalars);

    // The text of the first of `keys` that is there, null included ("").
    [[nodiscard]] std::optional<std::string> text(Keys keys) const;
    // The same, unless it is null.
    [[nodiscard]] std::optional<std::string> word(Keys keys) const;
    // A whole number of at least `least`; also as the only item of a list.
    [[nodiscard]] std::optional<int> count(Keys keys, int least = 1) const;
    [[nodiscard]] std::optional<bool> flag(Keys keys) const;
    // Absent unless one of the keys is there; true when any of them is.
    [[nodiscard]] std::optional<bool> anyOf(Keys keys) const;
    // True where any setting stands at or below that very path.
    [[nodiscard]] bool hasSection(std::string_view path) const;

private:
    [[nodiscard]] std::optional<std::string> resolved(
        std::string key, std::string_view prefix) const;

    Settings m_scalars; // keys with underscores for dashes
    std::vector<std::string_view> m_prefixes; // places with values, by their rank
};

// The launch configuration that a set of settings states, whatever file they come from: NeMo and
// Hydra, Megatron-LM, DeepSpeed, GPT-NeoX and Hugging Face names. Arithmetic on stated numbers is
// all that is derived: the data-parallel degree (GPUs / (TP × PP × CP)), the micro-batches per step
// (global batch / (micro-batch × DP)), each only where it divides, and the global batch where these
// are stated instead.

// Without an origin; equal to LaunchConfig{} where nothing is stated.
LaunchConfig readFields(const Fields& fields);

} // namespace trainscope::importers::launch
