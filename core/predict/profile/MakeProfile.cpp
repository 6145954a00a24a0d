#include "core/catalogue/GpuModel.h"
#include "core/predict/cost/Analytic.h"
#include "core/predict/profile/Profile.h"
#include "core/predict/profile/ProfiledCosts.h"
#include "core/predict/profile/ShapeRegressor.h"

#include <fmt/format.h>

#include <cmath>

namespace trainscope::predict {
namespace {

// StackTerms of the software that samples are usually taken of, before a calibration. Pure.

// a name of the catalogue
StackTerms usualStackTerms(std::string_view gpu) {
    // GPT-NeoX keeps attention's dropout also at p = 0: scores in and out and a mask of bytes, 5 B,
    // and one more copy, 4 B.
    StackTerms terms{
        .scoresExtraBytes = 9.0, .origin = "GPT-NeoX: dropout at p = 0 and a copy of the scores"};
    if (gpu.starts_with("GH200")) {
        // Layers took so much longer than their operators, steps so much longer than their layers.
        terms.gapSeconds = 0.75e-3;
        terms.jitter = 0.018;
        terms.origin += "; gap and jitter of GPT-NeoX on Vista (arXiv 2509.22832, its layers, "
                        "stages and steps)";
    }
    return terms;
}

using catalogue::GpuModel;

constexpr std::uint64_t kSeed = 42;
constexpr std::uint64_t kHeldOutEvery = 5; // a fifth

// Holds out a fifth of the samples by place in the list; the same on every machine (splitmix64,
// Steele et al. 2014).
bool isHeldOut(std::size_t place) {
    std::uint64_t x = (kSeed + place + 1) * 0x9e3779b97f4a7c15ULL;
    x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27U)) * 0x94d049bb133111ebULL;
    return (x ^ (x >> 31U)) % kHeldOutEvery == 0;
}

// Mean of |predicted / measured - 1|, and the standard deviation of the logarithm: few misses tell
// little, so a formula's spread counts as one more of them.
class Misses {
public:
    void add(double predicted, double measured) {
        if (!(predicted > 0.0) || !(measured > 0.0))
            return;
        ++m_count;
        m_sum += std::abs(predicted / measured - 1.0);
        m_squares += std::pow(std::log(predicted / measured), 2);
    }
    [[nodiscard]] std::optional<double> mean() const {
        return m_count == 0 ? std::nullopt : std::optional(m_sum / m_count);
    }
    [[nodiscard]] double spread() const {
        return std::sqrt((m_squares + kFormulaSpread * kFormulaSpread) / (m_count + 1.0));
    }

private:
    double m_count = 0.0;
    double m_sum = 0.0;
    double m_squares = 0.0;
};

// One operator of the source, cleaned.
struct CleanOperator {
    const OperatorTimings* source = nullptr;
    const GpuModel* gpu = nullptr;
    std::vector<TimedOperator> samples;
    bool hadBackward = false;
    ProfiledRow row;
};

GpuPeaks peaksOf(const GpuModel& gpu) {
    return {gpu.fp16Flops.value_or(gpu.bf16Flops.value_or(0.0)), gpu.memoryBandwidth.value_or(0.0)};
}

// Absent where the catalogue does not know what the GPU can do.
const GpuModel* knownGpu(const std::string& name) {
    const GpuModel* gpu = catalogue::findGpuModel(name);
    const bool isKnown
        = gpu != nullptr && (gpu->fp16Flops || gpu->bf16Flops) && gpu->memoryBandwidth.has_value();
    return isKnown ? gpu : nullptr;
}

ProfiledRow unknownGpu(std::string gpu, std::string name, std::size_t rows) {
    return {.gpu = std::move(gpu),
        .name = std::move(name),
        .leftOut = rows,
        .notes = {"the hardware catalogue does not know the peaks of this GPU"}};
}

bool hasBackward(const std::vector<TimedOperator>& samples) {
    return std::any_of(samples.begin(), samples.end(),
        [](const TimedOperator& sample) { return !std::isnan(sample.backward); });
}

CleanOperator cleaned(const OperatorTimings& timings, const GpuModel& gpu) {
    CleanOperator clean{&timings, &gpu, timings.rows, hasBackward(timings.rows), {}};
    auto result = cleanOperators(clean.samples, peaksOf(gpu));
    clean.row = {.gpu = gpu.name,
        .name = timings.name,
        .samples = clean.samples.size(),
        .leftOut = result.leftOut,
        .statedForward = timings.statedForward,
        .statedBackward = timings.statedBackward,
        .notes = std::move(result.notes),
        .clockHz = timings.conditions.clockHz,
        .powerW = timings.conditions.powerW};
    return clean;
}

// Backward times that could not be believed follow from the forward ones in the proportion that
// another GPU has.
void replaceBackward(CleanOperator& broken, const std::vector<CleanOperator>& all) {
    for (const CleanOperator& other : all) {
        const bool isSame = other.gpu != broken.gpu && other.source->name == broken.source->name;
        const auto ratio = isSame ? backwardRatio(other.samples) : std::nullopt;
        if (!ratio)
            continue;
        for (TimedOperator& sample : broken.samples)
            sample.backward = sample.forward * *ratio;
        broken.row.notes.push_back(fmt::format(
            "backward is taken as {:.2f} × forward, as on {}", *ratio, other.gpu->name));
        return;
    }
}

std::vector<CleanOperator> cleanedOperators(const Timings& timings, Profile& profile) {
    std::vector<CleanOperator> all;
    for (const OperatorTimings& one : timings.operators) {
        if (const GpuModel* gpu = knownGpu(one.gpu))
            all.push_back(cleaned(one, *gpu));
        else
            profile.report.push_back(unknownGpu(one.gpu, one.name, one.rows.size()));
    }
    for (CleanOperator& one : all) {
        if (one.hadBackward && !hasBackward(one.samples))
            replaceBackward(one, all);
    }
    return all;
}

// The samples of a family on a GPU, those that are held out apart.
struct Split {
    std::vector<TimedOperator> kept;
    std::vector<std::vector<TimedOperator>> heldOut; // by operator
};

Split splitOf(const std::vector<CleanOperator*>& members) {
    Split split;
    std::size_t place = 0;
    for (const CleanOperator* member : members) {
        auto& heldOut = split.heldOut.emplace_back();
        for (const TimedOperator& sample : member->samples)
            (isHeldOut(place++) ? heldOut : split.kept).push_back(sample);
    }
    return split;
}

double heldOutErrors(const Split& split, const std::vector<CleanOperator*>& members,
    Direction direction, const GpuPeaks& peaks) {
    const ShapeRegressor regressor(split.kept, direction, peaks);
    const bool isForward = direction == Direction::Forward;
    Misses family;
    for (std::size_t i = 0; i < members.size(); ++i) {
        Misses own;
        for (const TimedOperator& sample : split.heldOut[i]) {
            const double measured = sample.in(direction);
            const double predicted = regressor.secondsOf(sample.work).seconds;
            own.add(predicted, measured);
            family.add(predicted, measured);
        }
        (isForward ? members[i]->row.forwardError : members[i]->row.backwardError) = own.mean();
    }
    return family.spread();
}

SampledFamily familyOf(const std::vector<CleanOperator*>& members) {
    const CleanOperator& first = *members.front();
    SampledFamily family{.name = first.source->family,
        .kind
        = first.source->rows.empty() ? OperatorKind::Gemm : first.source->rows.front().work.kind};
    const GpuPeaks peaks = peaksOf(*first.gpu);
    const Split split = splitOf(members);
    family.forwardSpread = heldOutErrors(split, members, Direction::Forward, peaks);
    family.backwardSpread = heldOutErrors(split, members, Direction::Backward, peaks);
    for (const CleanOperator* member : members)
        family.samples.insert(family.samples.end(), member->samples.begin(), member->samples.end());
    return family;
}

GpuProfile& profileOf(Profile& profile, const GpuModel& gpu, const std::string& sourceName) {
    const auto found = std::find_if(profile.gpus.begin(), profile.gpus.end(),
        [&](const GpuProfile& one) { return one.gpu == gpu.name; });
    if (found != profile.gpus.end())
        return *found;
    const GpuPeaks peaks = peaksOf(gpu);
    return profile.gpus.emplace_back(GpuProfile{
        gpu.name, sourceName, peaks.flops, peaks.memoryBandwidth, usualStackTerms(gpu.name), {}});
}

void addOperators(const Timings& timings, Profile& profile) {
    auto all = cleanedOperators(timings, profile);
    std::map<std::pair<std::string, std::string>, std::vector<CleanOperator*>> families;
    for (CleanOperator& one : all)
        families[{one.gpu->name, one.source->family}].push_back(&one);
    for (const auto& [key, members] : families) {
        const CleanOperator& first = *members.front();
        SampledFamily family = familyOf(members);
        if (!family.samples.empty())
            profileOf(profile, *first.gpu, first.source->gpu).families.push_back(std::move(family));
    }
    for (CleanOperator& one : all)
        profile.report.push_back(std::move(one.row));
}

// One kind of exchange of one arrangement: the files that have parts of it.
struct CleanExchange {
    const GpuModel* gpu = nullptr;
    std::vector<CollectiveTimings> parts;
    std::vector<ProfiledRow> rows; // a row for each part
};

CollectiveTimings joined(const std::vector<CollectiveTimings>& parts) {
    CollectiveTimings all = parts.front();
    for (std::size_t i = 1; i < parts.size(); ++i)
        all.rows.insert(all.rows.end(), parts[i].rows.begin(), parts[i].rows.end());
    std::stable_sort(all.rows.begin(), all.rows.end(),
        [](const auto& a, const auto& b) { return a.bytes < b.bytes; });
    return all;
}

std::string arrangement(const CollectiveTimings& timings) {
    return fmt::format("{} {}×{}", timings.name, timings.nodes, timings.gpusPerNode);
}

void addPart(CleanExchange& exchange, const CollectiveTimings& timings, const GpuModel& gpu) {
    exchange.gpu = &gpu;
    auto& part = exchange.parts.emplace_back(timings);
    auto result = cleanExchanges(part, gpu);
    exchange.rows.push_back({.gpu = gpu.name,
        .fabric = timings.fabric,
        .name = arrangement(timings),
        .samples = part.rows.size(),
        .leftOut = result.leftOut,
        .statedForward = timings.statedError,
        .notes = std::move(result.notes),
        .clockHz = timings.conditions.clockHz,
        .powerW = timings.conditions.powerW});
}

// The error of a curve of the samples that are not held out; returns its spread.
double heldOutErrors(CleanExchange& exchange) {
    auto kept = exchange.parts;
    for (CollectiveTimings& part : kept) {
        std::size_t place = 0;
        std::erase_if(part.rows, [&place](const auto&) { return isHeldOut(place++); });
    }
    const CollectiveTimings all = joined(kept);
    Misses whole;
    if (all.rows.empty())
        return whole.spread();
    const CollectiveCurve curve = curveOf(all);
    for (std::size_t i = 0; i < exchange.parts.size(); ++i) {
        Misses own;
        const auto& rows = exchange.parts[i].rows;
        for (std::size_t place = 0; place < rows.size(); ++place) {
            if (!isHeldOut(place))
                continue;
            const double predicted = secondsOn(curve, rows[place].bytes);
            own.add(predicted, rows[place].seconds);
            whole.add(predicted, rows[place].seconds);
        }
        exchange.rows[i].forwardError = own.mean();
    }
    return whole.spread();
}

FabricProfile& fabricOf(Profile& profile, const std::string& name, const std::string& gpu) {
    const auto found = std::find_if(profile.fabrics.begin(), profile.fabrics.end(),
        [&](const FabricProfile& one) { return one.name == name && one.gpu == gpu; });
    return found != profile.fabrics.end()
        ? *found
        : profile.fabrics.emplace_back(FabricProfile{name, gpu, {}});
}

void addCollectives(const Timings& timings, Profile& profile) {
    std::map<std::tuple<std::string, std::string, CollectiveKind, int, int>, CleanExchange> all;
    for (const CollectiveTimings& one : timings.collectives) {
        const GpuModel* gpu = catalogue::findGpuModel(one.gpu);
        if (gpu == nullptr) {
            profile.report.push_back(unknownGpu(one.gpu, arrangement(one), one.rows.size()));
            continue;
        }
        addPart(all[{one.fabric, gpu->name, one.kind, one.nodes, one.gpusPerNode}], one, *gpu);
    }
    for (auto& [key, exchange] : all) {
        const double spread = heldOutErrors(exchange);
        const CollectiveTimings rows = joined(exchange.parts);
        if (!rows.rows.empty()) {
            auto& curve = fabricOf(profile, rows.fabric, exchange.gpu->name)
                              .curves.emplace_back(curveOf(rows));
            curve.spread = spread;
        }
        for (ProfiledRow& row : exchange.rows)
            profile.report.push_back(std::move(row));
    }
}

} // namespace

Result<Profile> makeProfile(const Timings& timings, std::string source) {
    Profile profile;
    profile.source = std::move(source);
    addOperators(timings, profile);
    addCollectives(timings, profile);
    if (!profile.gpus.empty() || !profile.fabrics.empty())
        return profile;
    if (timings.operators.empty() && timings.collectives.empty())
        return Error{ErrorCode::NotFound, "There are no timings of operators or collectives here.",
            profile.source};
    return Error{ErrorCode::NotFound,
        "None of the timings can be used: the hardware catalogue does not know the GPU, or each "
        "time is shorter than its peaks allow.",
        profile.source};
}

} // namespace trainscope::predict
