#include "app/viewmodels/prediction/LayoutSearch.h"

#include "app/viewmodels/text/Texts.h"
#include "app/viewmodels/window/Theme.h"
#include "core/plot/prediction/PredictionWords.h"
#include "core/text/Numbers.h"

#include <algorithm>
#include <array>
#include <utility>

namespace trainscope::app {
namespace {

constexpr std::array kMemoryShares{1.0, 0.95, 0.9, 0.8, 0.7};
constexpr std::array kPowerShares{1.0, 0.9, 0.8, 0.7, 0.6}; // share of the GPUs' own limits
constexpr std::size_t kRanked = 20;

constexpr std::size_t kTrainingColumn = 2; // place of the training's column, if one is asked for
constexpr int kTrainingGoes = 4; // behind energy and peak power alone
constexpr double kColumnPadding = 17.0; // beside the texts, both sides together

using RankingSetting = Setting<RankingSettings, std::monostate>;

RankingSetting objectiveSetting() {
    return {QStringLiteral("objective"),
        [](const auto& all) { return static_cast<int>(all.objective); },
        [](auto& all, const auto& value) {
            const auto at = static_cast<std::size_t>(std::max(value.toInt(), 0));
            if (at < predict::kAllObjectives.size())
                all.objective = predict::kAllObjectives[at];
        },
        [](const auto&, const auto&) -> std::optional<SettingControl> {
            return SettingControl{QStringLiteral("Rank by"), {},
                {{QStringLiteral("step time"), 0}, {QStringLiteral("energy"), 1},
                    {QStringLiteral("peak power"), 2}}};
        }};
}

// The place of a share among those; the first is the whole.
RankingSetting shareSetting(const char* key, int RankingSettings::*share,
    const std::array<double, 5>& shares,
    const std::array<const char*, 3>& words) { // label, the whole, tip
    return {QLatin1String(key), [share](const auto& all) { return all.*share; },
        [share, shares](auto& all, const auto& value) {
            if (value.toInt(-1) >= 0 && value.toInt() < static_cast<int>(shares.size()))
                all.*share = value.toInt();
        },
        [shares, words](const auto&, const auto&) -> std::optional<SettingControl> {
            SettingControl control{textOf(words[0]), textOf(words[2]), {{textOf(words[1]), 0}}};
            for (std::size_t i = 1; i < shares.size(); ++i)
                control.choices.push_back(
                    {QString::fromStdString(text::roundedPercent(shares[i])), static_cast<int>(i)});
            return control;
        }};
}

QString tieTip(const predict::ListedLayout& one) {
    if (one.isBest())
        return QStringLiteral("the best, which is the answer");
    if (one.isFirst)
        return QStringLiteral("the best that is no tie with the numbers above");
    if (one.group == 0)
        return QStringLiteral("no tie with any number");
    return QStringLiteral("a tie with %1: %2").arg(one.group).arg(textOf(predict::kTieWords));
}

} // namespace

const RankingSettingList& rankingSettings() {
    static const RankingSettingList list({objectiveSetting(),
        shareSetting("memory", &RankingSettings::memory, kMemoryShares,
            {"Memory", "all", "The part of each GPU's memory that may be used"}),
        shareSetting("power", &RankingSettings::power, kPowerShares,
            {"Power", "no limit",
                "The share of the sum of all GPUs' limits that they may draw together"})});
    return list;
}

predict::SearchRequest searchOf(
    const predict::JobRequest& request, const RankingSettings& settings) {
    predict::SearchRequest search = predict::searchLike(request);
    search.memoryShare = kMemoryShares[static_cast<std::size_t>(settings.memory)];
    const auto& limit = request.cluster.gpu.powerLimitW;
    if (settings.power > 0 && limit)
        search.powerLimitW = kPowerShares[static_cast<std::size_t>(settings.power)] * *limit
            * request.cluster.gpus();
    search.objective = settings.objective;
    search.top = kRanked;
    return search;
}

TableContent rankedContent(const std::shared_ptr<const predict::SearchResult>& found,
    const std::optional<predict::LayoutChoice>& chosen, const predict::TrainingAsked& training) {
    auto listed = found ? predict::listedLayouts(*found) : std::vector<predict::ListedLayout>();
    const auto table = std::make_shared<const text::Table>(plot::rankedTable(
        listed, training, found ? found->objective : predict::SearchObjective::Time));
    TableContent content = contentOf(table, text::Digits::Three);
    content.sorted = {}; // they are ranked
    const auto words = table->inWords(text::Digits::Three);
    for (std::size_t column = 1; column < content.heads.size(); ++column) {
        TableHead& head = content.heads[column];
        QStringList texts{head.title};
        for (const auto& row : words)
            texts.push_back(QString::fromStdString(row[column]));
        head.width = widestOf(texts, Theme::instance()->secondarySize()) + kColumnPadding;
        // The step stays; what a training takes follows from tokens/s.
        const bool isTraining = training.tokens && column == kTrainingColumn;
        head.importance = isTraining ? kTrainingGoes : static_cast<int>(column) - 1;
    }
    // The list points into the result.
    content.row = [known = content.row, found, listed = std::move(listed), chosen](
                      std::int64_t at) {
        TableRow row = known(at);
        const auto& place = listed[static_cast<std::size_t>(at)];
        const auto& one = *place.layout;
        row.isChosen = chosen && one.choice == *chosen;
        row.isStrong = place.isBest();
        row.isQuiet = !place.isFirst;
        row.tips = {
            QStringLiteral("%1: %2. Click to take it into the form").arg(row.name, tieTip(place))};
        row.note = place.isBest() ? QStringLiteral("best") : QString();
        return row;
    };
    return content;
}

void LayoutSearch::ask(ReaderPool& pool, const QString& key, const predict::SearchRequest& request,
    const predict::Predictor& predictor) {
    if (key == m_key)
        return;
    m_key = key;
    m_memoryTask.cancel();
    m_isStopped = false;
    m_progress = -1.0;
    m_task.ask(
        pool,
        [this, request, predictor](
            const store::Store&, const TaskStage<predict::SearchResult>& stage) {
            return predict::searchLayouts(
                request, predictor, stage.telling([this](double fraction) {
                    m_progress = fraction;
                    Q_EMIT changed();
                }));
        },
        [this, &pool, request, predictor](Result<predict::SearchResult> found) {
            m_memory = {};
            if (found.hasValue() && !found.value().top.empty())
                askMemory(pool, request, predictor);
            take(std::move(found));
        });
    Q_EMIT changed();
}

// With what was found shown already.
void LayoutSearch::askMemory(
    ReaderPool& pool, const predict::SearchRequest& request, const predict::Predictor& predictor) {
    m_memoryTask.ask(
        pool,
        [request, predictor](const store::Store&, const TaskStage<predict::WhatIfRow>& stage) {
            return predict::memoryWhatIf(request, predictor, stage.progress());
        },
        [this](Result<predict::WhatIfRow> row) {
            if (row.hasValue())
                m_memory = std::move(row).value();
            Q_EMIT memoryKnown();
        });
}

void LayoutSearch::take(Result<predict::SearchResult> found) {
    m_foundKey = m_key;
    if (found.hasValue()) {
        m_found = std::make_shared<const predict::SearchResult>(std::move(found).value());
        m_text = QString::fromStdString(plot::searchWords(*m_found));
    } else {
        m_found.reset();
        m_text = QString::fromStdString(found.error().message);
    }
    Q_EMIT changed();
    Q_EMIT answered();
}

void LayoutSearch::stop() {
    if (!m_task.isRunning())
        return;
    m_task.cancel();
    m_key.clear();
    m_isStopped = true;
    Q_EMIT changed();
}

void LayoutSearch::forget() {
    m_task.cancel();
    m_memoryTask.cancel();
    m_memory = {};
    m_key.clear();
    m_foundKey.clear();
    m_text.clear();
    m_isStopped = false;
    m_found.reset();
    Q_EMIT changed();
}

} // namespace trainscope::app
