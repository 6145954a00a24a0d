#include "app/cli/commands/SavedComparisonList.h"

#include "app/cli/text/Json.h"
#include "app/cli/text/TextTable.h"
#include "app/comparing/SavedComparison.h"

#include <ostream>
#include <string>

namespace trainscope::cli {

namespace {

Json savedJson(const app::SavedComparison& saved) {
    const auto& query = saved.settings.query;
    Json json{{"name", saved.name}, {"runs", Json::array()},
        {"normalisation", toString(query.normalisation)}, {"alignment", toString(query.alignment)},
        {"stretched", query.stretched}, {"whole_run", query.wholeRun}, {"panels", Json::array()},
        {"notes", saved.notes}};
    for (const Run& run : saved.runs)
        json["runs"].push_back(run.name);
    for (const auto panel : plot::kComparisonPanels) {
        if (saved.settings.shows(panel))
            json["panels"].push_back(toString(panel));
    }
    if (!query.sortedBy.empty())
        json["sorted_by"] = query.sortedBy;
    if (!saved.settings.theme.isEmpty())
        json["theme"] = saved.settings.theme.toStdString();
    return json;
}

void printTable(const std::vector<app::SavedComparison>& all, const Console& console) {
    if (all.empty()) {
        console.out() << "The database keeps no comparison; compare --save keeps one.\n";
        return;
    }
    TextTable table(
        {{"comparison", TextTable::Align::Left}, {"runs"}, {"base", TextTable::Align::Left},
            {"normalised", TextTable::Align::Left}, {"aligned", TextTable::Align::Left}});
    for (const auto& saved : all)
        table.add({saved.name, std::to_string(saved.runs.size()),
            saved.runs.empty() ? "-" : saved.runs.front().name,
            std::string(toString(saved.settings.query.normalisation)),
            std::string(toString(saved.settings.query.alignment))});
    table.print(console.out(), "");
    for (const auto& saved : all) {
        for (const std::string& note : saved.notes)
            console.warn(saved.name + ": " + note);
    }
}

} // namespace

ExitStatus printSavedComparisons(const store::Store& store, bool json, const Console& console) {
    const auto all = app::savedComparisons(store);
    if (!all.hasValue())
        return console.fail(all.error());
    if (!json) {
        printTable(all.value(), console);
        return ExitStatus::Done;
    }
    Json out{{"comparisons", Json::array()}};
    for (const auto& saved : all.value())
        out["comparisons"].push_back(savedJson(saved));
    printJson(console.out(), out);
    return ExitStatus::Done;
}

} // namespace trainscope::cli
