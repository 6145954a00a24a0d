#include "core/store/MergedWords.h"

#include "core/model/Try.h"
#include "core/store/RunNotes.h"
#include "core/store/Store.h"
#include "core/store/tables/RunLabels.h"
#include "core/store/tables/UserTables.h"

#include <algorithm>

namespace trainscope::store {

namespace {

constexpr const char* kBetweenNotes = "\n\n";

bool contains(const std::string& notes, const std::string& note) {
    const std::string framed = kBetweenNotes + notes + kBetweenNotes;
    return framed.find(kBetweenNotes + note + kBetweenNotes) != std::string::npos;
}

std::string joined(const std::string& there, const std::string& said) {
    if (there.empty() || contains(said, there))
        return said;
    return said.empty() || contains(there, said) ? there : there + kBetweenNotes + said;
}

Status mergeLabels(Database& into, RunId run, const RunLabels& said) {
    ASSIGN_OR_RETURN(const auto labels, readLabels(into));
    const auto there = std::find_if(
        labels.begin(), labels.end(), [&](const RunLabels& other) { return other.run == run; });
    RunLabels all = there != labels.end() ? *there : RunLabels{};
    all.tags.insert(all.tags.end(), said.tags.begin(), said.tags.end());
    RETURN_IF_ERROR(writeTags(into, run, all.tags));
    return writeNote(into, run, joined(all.note, said.note));
}

// Merges layout, machine and airflow where `into` has none.
Status mergeEntered(Database& into, RunId run, const Store& from, RunId old) {
    ASSIGN_OR_RETURN(const auto layout, from.enteredLayout(old));
    ASSIGN_OR_RETURN(const auto layoutThere, readEnteredLayout(into, run));
    if (layout && !layoutThere)
        RETURN_IF_ERROR(writeEnteredLayout(into, run, layout));
    ASSIGN_OR_RETURN(const auto machine, from.machine(old));
    ASSIGN_OR_RETURN(const auto machineThere, readMachine(into, run));
    if (machine && !machineThere)
        RETURN_IF_ERROR(writeMachine(into, run, machine));
    ASSIGN_OR_RETURN(const auto airflow, from.airflow(old));
    ASSIGN_OR_RETURN(const auto airflowThere, readAirflow(into, run));
    return airflow.empty() || !airflowThere.empty() ? Status() : writeAirflow(into, run, airflow);
}

Status mergeComparison(
    Database& into, const SavedComparison& saved, std::vector<std::string>& remarks) {
    ASSIGN_OR_RETURN(const auto all, readComparisons(into));
    std::string name = saved.name;
    for (int number = 2;; ++number) {
        const auto there = std::find_if(all.begin(), all.end(),
            [&name](const SavedComparison& other) { return other.name == name; });
        if (there != all.end() && there->spec == saved.spec)
            return {};
        if (there == all.end())
            break;
        name = saved.name + " (" + std::to_string(number) + ")";
    }
    if (name != saved.name)
        remarks.push_back("Another comparison is already named \"" + saved.name
            + "\"; the one that was merged is named \"" + name + "\" here.");
    return saveComparison(into, name, saved.spec);
}

} // namespace

Status mergeWords(Database& into, const Store& from, const std::map<RunId, RunId>& merged,
    std::vector<std::string>& remarks) {
    ASSIGN_OR_RETURN(const auto labels, runLabels(from));
    for (const RunLabels& said : labels) {
        if (const auto run = merged.find(said.run); run != merged.end())
            RETURN_IF_ERROR(mergeLabels(into, run->second, said));
    }
    for (const auto& [old, run] : merged)
        RETURN_IF_ERROR(mergeEntered(into, run, from, old));
    ASSIGN_OR_RETURN(const auto comparisons, from.comparisons());
    for (const SavedComparison& saved : comparisons)
        RETURN_IF_ERROR(mergeComparison(into, saved, remarks));
    return {};
}

} // namespace trainscope::store
