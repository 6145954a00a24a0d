#pragma once
// Meanings of keys in training logs: "lm loss" and "train_loss" are the loss, "dt" is the time of
// an iteration. One table for all dialects.

#include "core/model/Metric.h"

namespace trainscope::importers::trainlog {

enum class KeyRole {
    Value, // a series
    StepSeconds, // one iteration's
    StepRate, // iterations a second
    Elapsed, // s since the start of training
    GlobalBatch, // samples
    Skipped, // iterations without an update
    TokenRatePerGpu,
    Ignored, // says nothing of an iteration by itself: an estimate of what remains
};

struct KeyMeaning {
    KeyRole role = KeyRole::Value;
    Metric metric; // for a value
    double scale = 1.0; // SI value = number × scale
    bool isKnown = false; // in the table; else it is a metric of its own, by the key's name
};

// A row of the table; nullptr for a key that is not in it. Cheap, other than meaningOf().
struct KnownKey {
    KeyRole role = KeyRole::Value;
    const char* metric = nullptr; // in the registry
    double scale = 1.0; // if no unit stands behind the number; for an MFU see StepRecorder
};
const KnownKey* findKey(std::string_view key);
bool isLoss(std::string_view key);
bool isMfu(std::string_view key);

// `unit`: what stands behind the number ("ms", "%", "GiB"), which decides the scale.
KeyMeaning meaningOf(std::string_view key, std::string_view unit);

// A number as logs write it, "833,525" and "1.087E+01", and what stands behind it up to a blank or
// bracket. Absent where the text begins with no number ("N/A").
struct Measured {
    double number = 0.0;
    std::string_view unit;
};
std::optional<Measured> measured(std::string_view text);

// The number of a step, without a fraction. Absent for other text and beyond what logs count to.
std::optional<std::int64_t> indexIn(std::string_view text);

// Seconds, of a number with a unit of time or none.
std::optional<double> secondsIn(std::string_view key, std::string_view text);

} // namespace trainscope::importers::trainlog
