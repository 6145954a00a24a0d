#pragma once
// Facts about runs beside those imported: tags and notes of people, the origin of each run, and
// values that were computed once. Changes are refused as in Writing.h.

#include "core/model/Result.h"
#include "core/model/Run.h"

#include <span>
#include <vector>

namespace trainscope::catalogue {
struct GpuGuess;
}

namespace trainscope::store {

class Store;

// Tags and note that people gave a run.
struct RunLabels {
    RunId run;
    std::vector<std::string> tags; // each once, by their letters
    std::string note;
    bool operator==(const RunLabels&) const = default;
};

Result<std::vector<RunLabels>> runLabels(const Store& store); // runs with any, by run
// Replace what was said; empty takes it back. A tag is one line without blanks around it; those
// that are empty or occur twice are left out. They stay when the run's sources are imported again;
// NotFound without run.
Status setTags(Store& store, RunId run, std::span<const std::string> tags);
Status setNote(Store& store, RunId run, std::string_view note);
// Makes of what is said of a run what is said from now on, or refuses.
using Relabel = std::function<Status(RunLabels&)>;
// The same for some runs, all or nothing, by what the database says of each at that moment.
Status changeLabels(Store& store, std::span<const RunId> runs, const Relabel& relabel);

// The paths of what runs were imported from, by run and in order of their import.
Result<std::vector<std::pair<RunId, std::string>>> sourcePaths(const Store& store);

// Guesses the GPUs of a run whose sources name none, with the evidence (catalogue/GpuGuess.h);
// Store::runs() has the name. Absent where the model was recorded or said, or nothing tells.
Result<std::optional<catalogue::GpuGuess>> gpuGuessOf(const Store& store, const Run& run);

// Figures of a run: whoever computes them says what they mean.
struct KeptFigure {
    std::string key;
    std::optional<double> value;
    std::string absentWhy; // for people, where there is no value
};
struct KeptFigures {
    RunId run;
    // By which formulas and of what they were computed: figures of another basis are stale.
    std::string basis;
    std::vector<KeptFigure> figures;
};

Result<std::vector<KeptFigures>> keptFigures(const Store& store); // by run
// Replaces those of these runs, all or nothing; runs that are gone are passed over.
Status keepFigures(Store& store, std::span<const KeptFigures> figures);
// Per run, a short text of the facts that its figures depend on; figures are stale once it changes.
Result<std::vector<std::pair<RunId, std::string>>> figureBases(const Store& store);

} // namespace trainscope::store
