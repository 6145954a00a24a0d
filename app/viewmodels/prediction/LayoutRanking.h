#pragma once
// The ranked layouts of a search as a table, and what it is ranked by and under. GUI thread.

#include "app/viewmodels/workspace/Setting.h"
#include "app/viewmodels/workspace/TableModel.h"
#include "core/predict/prediction/Training.h"
#include "core/predict/search/Search.h"

#include <memory>
#include <optional>
#include <variant>

namespace trainscope::app {

// Settings of a search beside the job's model, cluster and batch.
struct RankingSettings {
    predict::SearchObjective objective = predict::SearchObjective::Time;
    int memory = 0; // index of the choice
    int power = 0;
    bool operator==(const RankingSettings&) const = default;
};
// Nothing but themselves says what they offer.
using RankingSettingList = SettingList<RankingSettings, std::monostate>;
const RankingSettingList& rankingSettings();
predict::SearchRequest searchOf(
    const predict::JobRequest& request, const RankingSettings& settings);

// The best of them in their order, with groups of ties (Ties.h) and what a training takes on each;
// the chosen one is what the form has. The row of a table is that of listedLayouts().
TableContent rankedContent(const std::shared_ptr<const predict::SearchResult>& found,
    const std::optional<predict::LayoutChoice>& chosen, const predict::TrainingAsked& training);

} // namespace trainscope::app
