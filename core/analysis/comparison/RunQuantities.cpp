#include "core/analysis/comparison/RunQuantities.h"

#include "core/analysis/comparison/RunMeasures.h"
#include "core/catalogue/Tables.h"
#include "core/catalogue/TrainingModel.h"
#include "core/model/TextOfFile.h"
#include "core/model/Try.h"
#include "core/text/NumberMarks.h"

#include <xxhash.h>

namespace trainscope::analysis {

namespace {

std::string digestOf(std::string_view told) {
    return fmt::format("{:016x}", XXH3_64bits(told.data(), told.size()));
}

// Digest of everything besides the run that figures depend on: their definitions, and the tables of
// GPUs and models, the user's own among them.
std::string formulaDigest() {
    std::string told = std::to_string(kQuantitiesVersion);
    for (const QuantityInfo& quantity : listedQuantities())
        told += fmt::format("\n{}\n{}", quantity.key, quantity.definition);
    return digestOf(fmt::format("{}\n{}\n{}\n{}", told, catalogue::builtInHardware(),
        catalogue::builtInModelTable(), textOfFile(catalogue::userModelsPath()).valueOr({})));
}

// Digest of facts that are inferred from other runs, and of the run's name, which may tell its
// GPUs.
std::string runDigest(const Run& run) {
    return digestOf(fmt::format(
        "{}\n{}\n{}\n{}", run.name, run.gpuModel, toString(run.status), toString(run.kind)));
}

RunQuantities nothingKnown(RunId run, std::string basis) {
    const std::size_t count = listedQuantities().size();
    return {run, std::move(basis), std::vector<std::optional<double>>(count),
        std::vector<std::string>(count)};
}

RunQuantities fromKept(const store::KeptFigures& kept) {
    RunQuantities quantities = nothingKnown(kept.run, kept.basis);
    for (const store::KeptFigure& figure : kept.figures) {
        if (const auto at = listedIndex(figure.key)) {
            quantities.values[*at] = figure.value;
            quantities.absentWhy[*at] = figure.absentWhy;
        }
    }
    return quantities;
}

} // namespace

const std::vector<QuantityInfo>& listedQuantities() {
    static const std::vector<QuantityInfo> kListed = [] {
        std::vector<QuantityInfo> all = comparedQuantities();
        all.push_back({std::string(kMeanGpuPower), "GPU power, mean", "W", Better::Lower,
            "mean over the GPUs of their time-weighted mean power in the window", false,
            TokensOf::Nothing, {"power", "mean_power", "gpu_power"}});
        return all;
    }();
    return kListed;
}

std::optional<std::size_t> listedIndex(std::string_view key) {
    const auto& all = listedQuantities();
    const auto found = std::ranges::find(all, key, &QuantityInfo::key);
    return found == all.end() ? std::nullopt
                              : std::optional(static_cast<std::size_t>(found - all.begin()));
}

Result<KnownQuantities> knownQuantities(const store::Store& store, std::span<const Run> runs) {
    ASSIGN_OR_RETURN(auto kept, store::keptFigures(store));
    ASSIGN_OR_RETURN(const auto bases, store::figureBases(store));
    std::map<RunId, const store::KeptFigures*> keptOf;
    for (const store::KeptFigures& one : kept)
        keptOf[one.run] = &one;
    const std::map<RunId, std::string> baseOf(bases.begin(), bases.end());
    const std::string formulas = formulaDigest();
    KnownQuantities made;
    for (const Run& run : runs) {
        const auto base = baseOf.find(run.id);
        const std::string basis = fmt::format("{}-{}-{}", formulas, runDigest(run),
            base == baseOf.end() ? std::string() : base->second);
        const auto found = keptOf.find(run.id);
        if (found != keptOf.end() && found->second->basis == basis)
            made.known.push_back(fromKept(*found->second));
        else
            made.unknown.push_back({run, basis});
    }
    return made;
}

Result<RunQuantities> measureQuantities(
    const store::Store& store, const UnmeasuredRun& of, const Progress& progress) {
    const text::WordingFor file(text::Medium::File); // the reasons are stored there
    ASSIGN_OR_RETURN(const auto measures, measuresOf({store, of.run, progress}, {true}));
    RunQuantities quantities = nothingKnown(of.run.id, of.basis);
    for (std::size_t i = 0; i < measures.values.size(); ++i) {
        if (measures.values[i])
            quantities.values[i] = measures.values[i]->value;
        else
            quantities.absentWhy[i] = measures.absentWhy[i];
    }
    const std::size_t power = listedIndex(kMeanGpuPower).value();
    const auto found = measures.summary.metrics.find(metric::kGpuPower);
    if (found != measures.summary.metrics.end() && found->second.all.mean)
        quantities.values[power] = found->second.all.mean;
    else
        quantities.absentWhy[power] = "The power of the GPUs was not recorded.";
    return quantities;
}

store::KeptFigures keptFrom(const RunQuantities& quantities) {
    store::KeptFigures kept{quantities.run, quantities.basis, {}};
    for (std::size_t i = 0; i < quantities.values.size(); ++i)
        kept.figures.push_back(
            {listedQuantities()[i].key, quantities.values[i], quantities.absentWhy[i]});
    return kept;
}

} // namespace trainscope::analysis
