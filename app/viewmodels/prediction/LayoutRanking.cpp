#include "app/viewmodels/prediction/LayoutRanking.h"

#include "app/viewmodels/window/Theme.h"
#include "core/figures/prediction/RankedLayouts.h"
#include "core/text/Numbers.h"

#include <QCoreApplication>

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

namespace trainscope::app {
namespace {

constexpr auto kObjective = "objective";
constexpr auto kMemory = "memory";
constexpr auto kPowerShare = "power";
constexpr std::array kMemoryShares{1.0, 0.95, 0.9, 0.8, 0.7};
constexpr std::array kPowerShares{1.0, 0.9, 0.8, 0.7, 0.6}; // of the GPUs' own limits
constexpr std::size_t kRanked = 20;

constexpr double kColumnPadding = 17.0; // of the texts, on both sides

QString rankedWords(const char* text) {
    return QCoreApplication::translate("RankedLayoutModel", text);
}

template <typename Shares>
QStringList sharesOf(const Shares& shares, const QString& all) {
    QStringList texts{all};
    for (std::size_t i = 1; i < shares.size(); ++i)
        texts.append(QString::fromStdString(text::roundedPercent(shares[i])));
    return texts;
}

text::Table rankedTable(const predict::SearchResult& found) {
    const auto title = [](const char* text) { return rankedWords(text).toStdString(); };
    text::Table table{{},
        {{title("Layout"), text::Align::Left}, {title("Step (90 %)")},
            text::inUnit(title("Energy"), "J"), text::inUnit(title("Peak power"), "W"),
            text::inUnit(title("Memory"), "B"), {title("Tokens/s per GPU")}},
        {}, {}};
    for (const auto& one : found.top) {
        const auto& made = one.prediction;
        table.add({figures::choiceWords(one.choice),
            text::withInterval(made.seconds, made.low, made.high, "s", text::Digits::Three),
            made.energyJ, one.peakW, made.memoryB, made.tokensPerSecondPerGpu});
    }
    return table;
}

} // namespace

std::vector<SettingRow> rankingRows(const RankingSettings& settings) {
    const auto tr = rankedWords;
    return {choiceRow(kObjective, tr("Rank by"), {tr("step time"), tr("energy"), tr("peak power")},
                static_cast<int>(settings.objective)),
        choiceRow(kMemory, tr("Memory"), sharesOf(kMemoryShares, tr("all")), settings.memory,
            tr("Of each GPU's memory, what may be used")),
        choiceRow(kPowerShare, tr("Power"), sharesOf(kPowerShares, tr("no limit")), settings.power,
            tr("Of all GPUs together, of the sum of their limits"))};
}

RankingSettings withRanking(const RankingSettings& settings, const QString& key, int choice) {
    RankingSettings changed = settings;
    if (!canChoose(rankingRows(settings), key, choice))
        return changed;
    if (key == QLatin1String(kObjective))
        changed.objective = predict::kAllObjectives[static_cast<std::size_t>(choice)];
    else if (key == QLatin1String(kMemory))
        changed.memory = choice;
    else
        changed.power = choice;
    return changed;
}

QJsonObject encodeRanking(const RankingSettings& settings) {
    return {{QLatin1String(kObjective), static_cast<int>(settings.objective)},
        {QLatin1String(kMemory), settings.memory}, {QLatin1String(kPowerShare), settings.power}};
}

RankingSettings decodeRanking(const QJsonObject& json) {
    RankingSettings settings;
    for (const char* key : {kObjective, kMemory, kPowerShare})
        settings
            = withRanking(settings, QLatin1String(key), json.value(QLatin1String(key)).toInt(0));
    return settings;
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

TableContent rankedContent(
    const predict::SearchResult& found, const std::optional<predict::LayoutChoice>& chosen) {
    const auto table = std::make_shared<const text::Table>(rankedTable(found));
    TableContent content = contentOf(table, text::Digits::Three);
    content.sorted = {}; // they are ranked
    const auto words = table->inWords(text::Digits::Three);
    for (std::size_t column = 1; column < content.heads.size(); ++column) {
        TableHead& head = content.heads[column];
        QStringList texts{head.title};
        for (const auto& row : words)
            texts.push_back(QString::fromStdString(row[column]));
        head.width = widestOf(texts, Theme::instance()->secondarySize()) + kColumnPadding;
        head.importance = static_cast<int>(column) - 1; // the step stays
    }
    content.row = [known = content.row, top = found.top, chosen](std::int64_t at) {
        TableRow row = known(at);
        const auto& one = top[static_cast<std::size_t>(at)];
        const bool isOnFront = one.isPareto || one.isPowerPareto;
        row.isChosen = row.isStrong = chosen && one.choice == *chosen;
        row.tips = {(isOnFront ? rankedWords("%1: on the front, nothing is better in both. Click "
                                             "to take it into the form")
                               : rankedWords("%1: click to take it into the form"))
                        .arg(row.name)};
        if (isOnFront)
            row.cells.front().prepend(QStringLiteral("◆ "));
        return row;
    };
    return content;
}

} // namespace trainscope::app
