#pragma once
// Profile: what operators take on kinds of GPU and exchanges take on fabrics, from measured
// samples; made once from timings, kept as a file, asked through ProfiledCosts.h and
// ProfiledCosts.h. Plain values, SI.

#include "core/predict/profile/Timings.h"

namespace trainscope::predict {

// The samples of one family that are believed, and how far a prediction from the others misses one
// of them (standard deviation of the logarithm).
struct SampledFamily {
    std::string name; // "gemm", "softmax", …, see OperatorTimings
    OperatorKind kind = OperatorKind::Gemm;
    std::vector<TimedOperator> samples = {};
    double forwardSpread = 0.0;
    double backwardSpread = 0.0;
};

// Time that training adds to the sum of its operators; it comes from the software and the host, not
// from the GPU.
struct StackTerms {
    // Bytes for each score of unfused attention, in every forward and backward pass: dropout at
    // p = 0 and copies.
    double scoresExtraBytes = 0.0;
    double gapSeconds = 0.0; // in each layer and pass, without work on the GPU
    double jitter = 0.0; // share of a step, for each doubling of GPUs over eight
    std::string origin; // source of the numbers

    bool operator==(const StackTerms&) const = default;
};

struct GpuProfile {
    std::string gpu; // name of the catalogue
    std::string sourceName; // as the source writes it
    double peakFlops = 0.0; // dense, of 16 bits, 1/s
    double memoryBandwidth = 0.0; // B/s
    StackTerms stack;
    std::vector<SampledFamily> families;

    [[nodiscard]] const SampledFamily* family(std::string_view name) const; // nullptr: none
};

// Seconds per byte over bytes, of one kind of exchange between one arrangement of GPUs: the running
// mean of the samples, at bytes in ascending order.
struct CollectiveCurve {
    CollectiveKind kind = CollectiveKind::AllReduce;
    int nodes = 1;
    int gpusPerNode = 1;
    std::vector<double> bytes;
    std::vector<double> secondsPerByte;
    double spread = 0.0; // standard deviation of the logarithm of a sample to the curve
};

struct FabricProfile {
    std::string name; // "perlmutter"
    std::string gpu; // name of the catalogue
    std::vector<CollectiveCurve> curves;
};

// Prediction error of one operator of the source, or one exchange: mean of |predicted / measured -
// 1| over the fifth of the samples that was held out.
struct ProfiledRow {
    std::string gpu = {};
    std::string fabric = {}; // an exchange's
    std::string name = {}; // "linear1", "all_reduce 2×4"
    std::size_t samples = 0;
    std::size_t leftOut = 0; // not believed
    std::optional<double> forwardError = {};
    std::optional<double> backwardError = {};
    std::optional<double> statedForward = {}; // by the source, of its own model
    std::optional<double> statedBackward = {};
    std::vector<std::string> notes = {}; // samples left out or replaced, and the reason
    std::optional<double> clockHz = {}; // the GPUs' meanwhile, where recorded
    std::optional<double> powerW = {};
};

struct Profile {
    std::string source; // the folders and databases that it was made from
    std::vector<GpuProfile> gpus;
    std::vector<FabricProfile> fabrics;
    std::vector<ProfiledRow> report;

    // By any spelling of the device's name; nullptr: not in the profile.
    [[nodiscard]] const GpuProfile* gpu(std::string_view deviceName) const;
    // The fabric of that GPU whose name occurs as a word of one of the texts that describe a
    // cluster, letter case ignored; nullptr: none.
    [[nodiscard]] const FabricProfile* fabric(
        std::string_view gpu, const std::vector<std::string_view>& texts) const;
};

// NotFound where no GPU of the timings is in the catalogue of hardware, or no sample is believed.
// Held-out samples are chosen by a fixed seed: equal timings give equal profiles.
Result<Profile> makeProfile(const Timings& timings, std::string source);

// A profile as JSON, and back. Unreadable names what is missing or wrong.
std::string profileText(const Profile& profile);
Result<Profile> parseProfile(std::string_view text, const std::string& where);
Result<Profile> readProfile(const std::string& path);

} // namespace trainscope::predict
