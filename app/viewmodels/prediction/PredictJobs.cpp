#include "app/viewmodels/prediction/PredictJobs.h"

#include "app/viewmodels/text/Texts.h"
#include "app/viewmodels/window/Theme.h"
#include "core/analysis/statistics/Means.h"
#include "core/figures/prediction/AskedJob.h"
#include "core/plot/prediction/PredictionWords.h"

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
        return QStringLiteral("fits perhaps: the upper bound of its memory does not");
    return QStringLiteral("a tie with %1: %2").arg(one.group).arg(textOf(predict::kTieWords));
}

} // namespace

PredictAnswer answerTo(const PredictQuestion& question) {
    auto made = figures::predictedJob(question.request, {}, predictorOf(question.calibration));
    if (!made.hasValue())
        return {nullptr, nullptr, made.error().message};
    PredictAnswer answer;
    answer.asked = std::make_shared<const plot::PredictedJob>(std::move(made).value());
    auto board = std::make_shared<plot::PredictionFigureData>();
    takeAsked(answer.asked, *board);
    board->others = question.others;
    board->measured = question.measured;
    board->training = question.training;
    addTexts(*board);
    answer.board = std::move(board);
    return answer;
}

predict::Predictor predictorOf(const std::shared_ptr<const predict::RunCalibration>& calibration) {
    return calibration ? calibration->predictor() : predict::Predictor();
}

std::string calibrationWords(const predict::RunCalibration& calibration) {
    if (calibration.jobs() == 0 && calibration.powers->empty())
        return "No measured run of the database says enough to calibrate by.";
    std::string words = fmt::format("Calibrated by {}",
        text::counted(static_cast<std::int64_t>(calibration.runs.size()), "measured run"));
    analysis::RunningMean off;
    if (calibration.steps) {
        for (const auto& one : calibration.steps->leftOut())
            off.add(std::abs(std::expm1(-one.row)));
    }
    if (off.count > 1)
        words += fmt::format(
            "; a step without its own run is off by {}", text::roundedPercent(off.value()));
    const std::size_t unknown = calibration.runs.size() - calibration.jobs();
    if (unknown > 0)
        words += fmt::format("; of {} power and heat alone", unknown);
    return words + ".";
}

Result<PredictDetails> detailsOf(std::shared_ptr<const plot::PredictedJob> asked,
    const std::shared_ptr<const figures::MeasuredTracks>& measured,
    const std::shared_ptr<const predict::RunCalibration>& calibration, const Progress& progress) {
    PredictDetails details{std::move(asked), {}, {}};
    ASSIGN_OR_RETURN(details.whatIf, predict::whatIfsOf(details.of->job, predictorOf(calibration)));
    if (measured && !measured->tracks.empty()) {
        ASSIGN_OR_RETURN(auto laid,
            figures::overlayOf(*measured, details.of->job, details.of->prediction, progress));
        details.tracks = std::make_shared<const plot::PredictedTracks>(std::move(laid));
    }
    return details;
}

Result<LaunchedRun> launchedRun(const analysis::RunStudy& study,
    const std::shared_ptr<const predict::RunCalibration>& calibration) {
    LaunchedRun launched;
    launched.run = study.run.id;
    if (study.run.kind == RunKind::Measured) {
        ASSIGN_OR_RETURN(launched.measured, figures::measuredStepOf(study));
        ASSIGN_OR_RETURN(auto tracks, figures::measuredTracksOf(study));
        launched.tracks = std::make_shared<const figures::MeasuredTracks>(std::move(tracks));
    }
    ASSIGN_OR_RETURN(launched.asked, predict::knownRequestOf(study));
    if (!launched.asked.unknown.empty())
        return launched;
    auto own
        = figures::predictedJob(launched.asked.request, "as launched", predictorOf(calibration));
    if (own.hasValue())
        launched.predicted = std::move(own).value();
    return launched;
}

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
    const std::optional<predict::LayoutChoice>& chosen, const predict::TrainingAsked& training,
    const std::set<std::size_t>& unfolded) {
    auto listed = found ? predict::listedLayouts(*found) : std::vector<predict::ListedLayout>();
    const auto table = std::make_shared<const text::Table>(plot::rankedTable(
        listed, training, found ? found->objective : predict::SearchObjective::Time));
    TableContent content = contentOf(table, text::Digits::Three);
    content.sorted = {}; // they are ranked
    std::map<std::size_t, std::size_t> ties; // by group
    std::map<std::size_t, std::vector<std::int64_t>> folded;
    std::vector<std::int64_t> firsts;
    for (std::size_t i = 0; i < listed.size(); ++i) {
        const bool isBelow = listed[i].group > 0 && !listed[i].isFirst;
        (isBelow ? folded[listed[i].group] : firsts).push_back(static_cast<std::int64_t>(i));
        ties[listed[i].group] += isBelow ? 1 : 0;
    }
    content.rows.clear();
    for (const std::int64_t first : firsts) {
        content.rows.push_back(first);
        const std::size_t group = listed[static_cast<std::size_t>(first)].group;
        if (group > 0 && unfolded.contains(group))
            content.rows.insert(content.rows.end(), folded[group].begin(), folded[group].end());
    }
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
    content.row = [known = content.row, found, listed = std::move(listed), chosen,
                      ties = std::move(ties), unfolded](std::int64_t at) {
        TableRow row = known(at);
        const auto& place = listed[static_cast<std::size_t>(at)];
        const auto& one = *place.layout;
        row.isChosen = chosen && one.choice == *chosen;
        row.isStrong = place.isBest();
        row.isQuiet = !place.isFirst;
        const std::size_t below = place.isFirst ? ties.at(place.group) : 0;
        row.depth = place.isFirst || place.group == 0 ? 0 : 1;
        row.isExpandable = below > 0;
        row.isUnfolded = below > 0 && unfolded.contains(place.group);
        row.tips = {
            QStringLiteral("%1: %2. Click to take it into the form").arg(row.name, tieTip(place))};
        row.note = place.isBest() ? QStringLiteral("best") : QString();
        if (below > 0)
            row.note += (row.note.isEmpty() ? QString() : QStringLiteral(", "))
                + textOf(text::counted(static_cast<std::int64_t>(below), "tie"));
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
