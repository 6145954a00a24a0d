#include "app/cli/output/CompareOutput.h"

#include "app/cli/options/AddOption.h"
#include "app/cli/output/RunOutput.h"
#include "app/manual/Manual.h"
#include "core/model/HarmlessText.h"
#include "core/report/ComparisonTables.h"

#include <fmt/format.h>

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
    return objectOf(breakdown.parts, [](const auto& part) {
        return Member(
            part.isCommunication ? part.category + "_exposed" : part.category, part.seconds);
    });
}

Json traceJson(const analysis::TraceMeasures& traced) {
    const auto phaseOf = [&](analysis::Phase phase) {
        const double seconds = traced.phases[phase];
        return Member(std::string(toString(phase)), when(seconds > 0.0, seconds));
    };
    const auto kernelJson = [](const auto& kernel) {
        return Json{{"name", kernel.name}, {"category", kernel.category},
            {"seconds", kernel.seconds}, {"count", kernel.count}};
    };
    const auto stageJson = [](const auto& stage) {
        return Json{{"stage", stage.stage}, {"devices", stage.devices}, {"seconds", stage.seconds},
            {"categories", partsJson(stage)}};
    };
    const auto exposedJson = [](const auto& group) {
        return object({{"dimension", group.dimension}, {"link", analysis::linkKey(group.link)},
            {"category", group.category}, {"seconds", group.seconds}, {"waiting_s", group.waitS}});
    };
    return {{"basis", toString(traced.basis)}, {"wording", traced.wording},
        {"devices", traced.devices}, {"seconds", traced.all.seconds},
        {"categories", partsJson(traced.all)}, {"phases", objectOf(analysis::kAllPhases, phaseOf)},
        {"kernels", listOf(traced.kernels, kernelJson)},
        {"stages", listOf(traced.stages, stageJson)},
        {"exposed", listOf(traced.exposed, exposedJson)}};
}

Json runJson(const RunMeasures& run) {
    Json json = summaryJson(run.summary);
    addWindow(json, run.window);
    add(json,
        {{"cluster", run.cluster}, {"gpus_of_job", when(run.gpus > 0, run.gpus)},
            {"iteration_basis", toString(run.basis)}, {"iteration_origin", run.iterationOrigin}});
    if (run.throttleBasis)
        json["throttled_by"] = toString(*run.throttleBasis);
    addQuantities(json, run);
    if (run.traced)
        json["breakdown"] = traceJson(*run.traced);
    return json;
}

const std::string& keyOf(const Difference& difference) {
    return analysis::comparedQuantities()[difference.quantity].key;
}

// Differences of two runs in the quantities that both have: those that can be told, and the reasons
// why others cannot.
Json ratiosJson(const std::vector<Difference>& differences) {
    return objectOf(
        differences, [](const Difference& one) { return Member(keyOf(one), one.ratio); });
}
Json significantJson(const std::vector<Difference>& differences) {
    return objectOf(differences, [](const Difference& one) {
        return Member(keyOf(one),
            when(one.weight != Difference::Weight::Unknown,
                one.weight == Difference::Weight::Beyond));
    });
}
Json unknownJson(const std::vector<Difference>& differences) {
    return objectOf(differences, [](const Difference& one) {
        const bool isAsked = one.weight == Difference::Weight::Unknown && one.a && one.b;
        return Member(keyOf(one), when(isAsked, one.why));
    });
}

// Method by which differences were weighed.
Json methodJson() {
    return {{"method",
                "Welch's t-test on the values of the counted iterations; neighbours that are alike "
                "count for fewer"},
        {"confidence", analysis::kConfidence}, {"least_iterations", analysis::kLeastIterations}};
}

Json definitionsJson() {
    return objectOf(analysis::comparedQuantities(), [](const auto& quantity) {
        return Member(
            quantity.key, Json{{"unit", quantity.unit}, {"definition", quantity.definition}});
    });
}

Json laterVerdictJson(const Comparison& comparison, std::size_t later) {
    const analysis::Verdict& verdict = comparison.verdicts[later];
    return verdictJson(verdict,
        verdict.scaleUp ? comparison.runs[*verdict.scaleUp == 0 ? 0 : later + 1].run.name
                        : std::string());
}

Json configurationJson(const Comparison& comparison) {
    return listOf(comparison.configuration, [&](const analysis::ConfigDifference& one) {
        Json values = Json::object();
        for (std::size_t i = 0; i < one.values.size(); ++i)
            add(values, {{comparison.runs[i].run.name, one.values[i]}});
        return Json{{"key", one.key}, {"title", one.title}, {"values", std::move(values)}};
    });
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

// Absent where a run does not call it.
Json operatorJson(const analysis::StepOperator& one) {
    Json json{{"name", one.name}, {"seconds_per_step", Json::array()}};
    for (const auto& seconds : one.seconds)
        json["seconds_per_step"].push_back(seconds ? Json(*seconds) : Json());
    return json;
}

// Most runs whose verdicts are explained; with more, only the headlines are printed.
constexpr std::size_t kMostExplained = 6;

void printLaterVerdict(const Comparison& comparison, std::size_t later, std::ostream& out) {
    const analysis::Verdict& verdict = comparison.verdicts[later];
    if (comparison.verdicts.size() > 1)
        out << analysis::runMark(0) << " and " << analysis::runMark(later + 1) << ": ";
    if (comparison.runs.size() > kMostExplained) {
        out << verdict.first << ".\n";
        return;
    }
    printVerdict(verdict, out);
    out << '\n';
}

void printRun(const RunMeasures& run, std::size_t place, std::ostream& out) {
    out << analysis::runMark(place) << "  " << run.run.name << " (" << run.cluster << ", "
        << (run.run.simulated ? "simulated" : toString(run.run.kind)) << ", "
        << toString(run.run.status) << ")\n   window: " << run.wording << '\n';
    if (run.traced)
        out << "   trace: " << run.traced->wording << '\n';
}

} // namespace

Json verdictJson(const analysis::Verdict& verdict, const std::string& scaleUp) {
    Json json = object({{"winner", toString(verdict.winner)}, {"by", verdict.by},
        {"first", verdict.first}, {"headline", verdict.headline}, {"reason", verdict.reason},
        {"cause", given(verdict.cause)}, {"scale_up", given(scaleUp)}});
    json["statements"] = listOf(verdict.statements, [](const analysis::Statement& one) {
        return object({{"text", one.text}, {"quantity", one.quantity}, {"a", one.a}, {"b", one.b},
            {"estimate", when(one.isEstimate, true)}});
    });
    return json;
}

Json comparisonJson(const Comparison& comparison, Normalisation by) {
    const auto& first = comparison.differences.front();
    Json json{{"runs", listOf(comparison.runs, runJson)}, {"ratios", ratiosJson(first)},
        {"significant", significantJson(first)}, {"not_told", unknownJson(first)},
        {"significance", methodJson()}, {"quantities", definitionsJson()},
        {"normalisation", toString(by)}, {"verdict", laterVerdictJson(comparison, 0)},
        {"configuration", configurationJson(comparison)},
        {"operators", listOf(comparison.operators, operatorJson)}};
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
                {"verdict", laterVerdictJson(comparison, i)}});
    return json;
}

void printVerdict(const analysis::Verdict& verdict, std::ostream& out) {
    out << verdict.first << ".\n" << verdict.explanation() << '\n';
    for (const analysis::Statement& one : verdict.statements)
        out << "  - " << one.text << '\n';
}

void printComparison(std::ostream& out, const Comparison& comparison, analysis::Normalisation by) {
    for (std::size_t i = 0; i < comparison.verdicts.size(); ++i)
        printLaterVerdict(comparison, i, out);
    if (comparison.runs.size() > kMostExplained)
        out << '\n';
    std::vector<const RunMeasures*> runs;
    for (const RunMeasures& run : comparison.runs) {
        printRun(run, runs.size(), out);
        runs.push_back(&run);
    }
    for (const auto& table : report::comparisonTables(runs, by, {}, comparison.operators))
        printBelow(out, table);
}

void printGates(std::ostream& out, const Gated& gated) {
    for (const auto& one : gated)
        out << replaced(std::string(toString(one.result)), "_", " ") << ": " << one.gate.text
            << " (" << one.run << "): " << one.text << '\n';
}

Json gatesJson(const Gated& gated) {
    return listOf(gated, [](const auto& one) {
        return object({{"gate", one.gate.text}, {"base", one.base}, {"run", one.run},
            {"quantity", analysis::comparedQuantities()[one.gate.quantity].key},
            {"result", one.result}, {"a", one.a}, {"b", one.b}, {"margin", one.margin},
            {"text", one.text}});
    });
}

std::string junitText(const Gated& gated) {
    constexpr std::string_view element[]{"system-out", "skipped", "failure", "error"}; // by result
    const auto inXml
        = [](const std::string& text) { return app::manual::escapedHtml(harmlessLine(text)); };
    const auto count = [&gated](analysis::GateResult result) {
        return std::ranges::count(gated, result, &analysis::GateOutcome::result);
    };
    std::string xml = fmt::format("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite "
                                  "name=\"trainscope\" tests=\"{}\" failures=\"{}\" "
                                  "errors=\"{}\" skipped=\"{}\">\n",
        gated.size(), count(analysis::GateResult::Failed),
        count(analysis::GateResult::NotComparable), count(analysis::GateResult::CannotTell));
    for (const auto& one : gated) {
        const auto name = element[static_cast<std::size_t>(one.result)];
        const bool isPassed = one.result == analysis::GateResult::Passed;
        xml += fmt::format("  <testcase classname=\"{}\" name=\"{}\"><{}{}{}{}>\n",
            inXml(one.run + " against " + one.base), inXml(one.gate.text), name,
            isPassed ? ">" : " message=\"", inXml(one.text),
            isPassed ? "</system-out></testcase" : "\"/></testcase");
    }
    return xml + "</testsuite>\n";
}

} // namespace trainscope::cli
