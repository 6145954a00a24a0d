#include "app/cli/output/CompareOutput.h"

#include "app/cli/output/SummaryJson.h"

#include <string>
#include <vector>

namespace trainscope::cli {

namespace {

using analysis::Comparison;
using analysis::Difference;
using analysis::Normalisation;
using analysis::RunMeasures;

void addQuantities(Json& json, const RunMeasures& run) {
    const auto& quantities = analysis::comparedQuantities();
    Json spread = Json::object();
    Json missing = Json::object();
    for (std::size_t i = 0; i < quantities.size(); ++i) {
        const auto& measure = run.values[i];
        if (!measure) {
            missing[quantities[i].key] = run.absentWhy[i];
            continue;
        }
        json[quantities[i].key] = measure->value;
        if (measure->spread)
            spread[quantities[i].key]
                = {{"count", measure->spread->count}, {"mean", measure->spread->mean},
                    {"std", measure->spread->std}, {"correlation", measure->spread->correlation}};
    }
    json["spread"] = std::move(spread);
    json["missing"] = std::move(missing);
}

Json partsJson(const analysis::StageBreakdown& breakdown) {
    Json json = Json::object();
    for (const auto& part : breakdown.parts)
        json[part.isCommunication ? part.category + "_exposed" : part.category] = part.seconds;
    return json;
}

std::string_view basisText(analysis::TraceBasis basis) {
    switch (basis) {
    case analysis::TraceBasis::Iterations:
        return "iterations";
    case analysis::TraceBasis::Scaled:
        return "scaled";
    case analysis::TraceBasis::Trace:
        break;
    }
    return "trace";
}

Json traceJson(const analysis::TraceMeasures& traced) {
    Json json{{"basis", basisText(traced.basis)}, {"wording", traced.wording},
        {"devices", traced.devices}, {"seconds", traced.all.seconds},
        {"categories", partsJson(traced.all)}};
    Json phases = Json::object();
    for (const analysis::Phase phase : analysis::kAllPhases) {
        if (traced.phases[phase] > 0.0)
            phases[std::string(toString(phase))] = traced.phases[phase];
    }
    json["phases"] = std::move(phases);
    json["kernels"] = Json::array();
    for (const auto& kernel : traced.kernels)
        json["kernels"].push_back({{"name", kernel.name}, {"category", kernel.category},
            {"seconds", kernel.seconds}, {"count", kernel.count}});
    json["stages"] = Json::array();
    for (const auto& stage : traced.stages)
        json["stages"].push_back({{"stage", stage.stage}, {"devices", stage.devices},
            {"seconds", stage.seconds}, {"categories", partsJson(stage)}});
    json["exposed"] = Json::array();
    for (const auto& group : traced.exposed) {
        Json one{{"dimension", group.dimension}, {"link", toString(group.link)},
            {"category", group.category}, {"seconds", group.seconds}};
        setIfPresent(one, "waiting_s", group.waitS);
        json["exposed"].push_back(std::move(one));
    }
    return json;
}

Json runJson(const RunMeasures& run) {
    Json json = summaryJson(run.summary);
    addWindow(json, run.window);
    json["cluster"] = run.cluster;
    if (run.gpus > 0)
        json["gpus_of_job"] = run.gpus;
    json["iteration_basis"] = toString(run.basis);
    json["iteration_origin"] = run.iterationOrigin;
    addQuantities(json, run);
    if (run.traced)
        json["breakdown"] = traceJson(*run.traced);
    return json;
}

Json ratiosJson(const std::vector<Difference>& differences) {
    Json json = Json::object();
    for (const Difference& one : differences)
        setIfPresent(json, analysis::comparedQuantities()[one.quantity].key.c_str(), one.ratio);
    return json;
}

// Why it cannot be told, where both runs have the quantity.
Json unknownJson(const std::vector<Difference>& differences) {
    Json json = Json::object();
    for (const Difference& one : differences) {
        if (one.weight == Difference::Weight::Unknown && one.a && one.b)
            json[analysis::comparedQuantities()[one.quantity].key] = one.why;
    }
    return json;
}

// How differences were weighed.
Json methodJson() {
    return {{"method",
                "Welch's t-test on the values of the counted iterations; neighbours that are alike "
                "count for fewer"},
        {"confidence", analysis::kConfidence}, {"least_iterations", analysis::kLeastIterations}};
}

Json definitionsJson() {
    Json json = Json::object();
    for (const auto& quantity : analysis::comparedQuantities())
        json[quantity.key] = {{"unit", quantity.unit}, {"definition", quantity.definition}};
    return json;
}

// Only what can be told.
Json significantJson(const std::vector<Difference>& differences) {
    Json json = Json::object();
    for (const Difference& one : differences) {
        if (one.weight != Difference::Weight::Unknown)
            json[analysis::comparedQuantities()[one.quantity].key]
                = one.weight == Difference::Weight::Beyond;
    }
    return json;
}

Json verdictJson(const Comparison& comparison, std::size_t later) {
    const analysis::Verdict& verdict = comparison.verdicts[later];
    Json json{{"winner", toString(verdict.winner)}, {"by", verdict.by},
        {"headline", verdict.headline}, {"reason", verdict.reason}};
    if (!verdict.cause.empty())
        json["cause"] = verdict.cause;
    if (verdict.scaleUp)
        json["scale_up"] = comparison.runs[*verdict.scaleUp == 0 ? 0 : later + 1].run.name;
    json["statements"] = Json::array();
    for (const analysis::Statement& one : verdict.statements) {
        Json statement{{"text", one.text}, {"quantity", one.quantity}};
        setIfPresent(statement, "a", one.a);
        setIfPresent(statement, "b", one.b);
        if (one.isEstimate)
            statement["estimate"] = true;
        json["statements"].push_back(std::move(statement));
    }
    return json;
}

Json configurationJson(const Comparison& comparison) {
    Json json = Json::array();
    for (const analysis::ConfigDifference& one : comparison.configuration) {
        Json values = Json::object();
        for (std::size_t i = 0; i < one.values.size(); ++i) {
            if (one.values[i])
                values[comparison.runs[i].run.name] = *one.values[i];
        }
        json.push_back({{"key", one.key}, {"title", one.title}, {"values", std::move(values)}});
    }
    return json;
}

Json normalisedJson(const Comparison& comparison, Normalisation by) {
    const auto& quantities = analysis::comparedQuantities();
    Json json{{"by", toString(by)}, {"units", Json::object()}, {"wording", Json::object()},
        {"runs", Json::array()}};
    for (const auto& quantity : quantities) {
        if (!isDivided(quantity, by))
            continue;
        json["units"][quantity.key] = unitOf(quantity, by);
        json["wording"][quantity.key] = wordingOf(quantity, by);
    }
    for (const RunMeasures& run : comparison.runs) {
        Json values{{"name", run.run.name}};
        for (std::size_t i = 0; i < quantities.size(); ++i) {
            const auto measure = run.normalised(i, by);
            if (measure && isDivided(quantities[i], by))
                values[quantities[i].key] = measure->value;
        }
        json["runs"].push_back(std::move(values));
    }
    for (std::size_t later = 1; later < comparison.runs.size(); ++later) {
        auto differences = differencesOf(comparison.runs[0], comparison.runs[later], by);
        std::erase_if(differences,
            [&](const Difference& one) { return !isDivided(quantities[one.quantity], by); });
        Json compared{
            {"ratios", ratiosJson(differences)}, {"significant", significantJson(differences)}};
        if (later == 1)
            json.update(compared);
        if (comparison.runs.size() > 2) {
            compared["a"] = comparison.runs[0].run.name;
            compared["b"] = comparison.runs[later].run.name;
            json["comparisons"].push_back(std::move(compared));
        }
    }
    return json;
}

} // namespace

Json comparisonJson(const Comparison& comparison, Normalisation by) {
    Json json{{"runs", Json::array()}};
    for (const RunMeasures& run : comparison.runs)
        json["runs"].push_back(runJson(run));
    json["ratios"] = ratiosJson(comparison.differences.front());
    json["significant"] = significantJson(comparison.differences.front());
    json["not_told"] = unknownJson(comparison.differences.front());
    json["significance"] = methodJson();
    json["quantities"] = definitionsJson();
    json["normalisation"] = toString(by);
    json["verdict"] = verdictJson(comparison, 0);
    json["configuration"] = configurationJson(comparison);
    if (by != Normalisation::Absolute)
        json["normalised"] = normalisedJson(comparison, by);
    if (comparison.runs.size() < 3)
        return json;
    // Ratios and verdict above are those of the first two.
    json["comparisons"] = Json::array();
    for (std::size_t i = 0; i < comparison.differences.size(); ++i)
        json["comparisons"].push_back(
            {{"a", comparison.runs.front().run.name}, {"b", comparison.runs[i + 1].run.name},
                {"ratios", ratiosJson(comparison.differences[i])},
                {"significant", significantJson(comparison.differences[i])},
                {"not_told", unknownJson(comparison.differences[i])},
                {"verdict", verdictJson(comparison, i)}});
    return json;
}

} // namespace trainscope::cli
