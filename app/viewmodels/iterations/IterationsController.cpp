#include "app/viewmodels/iterations/IterationsController.h"

#include "app/viewmodels/text/Texts.h"
#include "app/viewmodels/window/Theme.h"
#include "core/analysis/replay/StepAnalyses.h"
#include "core/figures/iterations/IterationsFigure.h"

namespace trainscope::app {
namespace {

constexpr int kChoiceRestMs = 250;
constexpr double kMargins = 32.0; // around a cell, with the arrow of its head
// Columns that give way where there is no room, the last ones first.
constexpr std::array kGiveWay{"Tokens/s", "Compute", "Against median", "Idle", "Host", "Copies"};
constexpr qsizetype kMostWaits = 3;
constexpr double kLeastTold = 0.01; // share of the iteration

// "AllReduce along dp: 38 ms of waiting for rank 3, because …", a line each.
Result<QString> waitsIn(const analysis::RunStudy& study, TimeRange iteration) {
    ASSIGN_OR_RETURN(const auto clocks, analysis::alignRanks(study));
    ASSIGN_OR_RETURN(const auto waits, analysis::stepWaits(study, clocks, iteration, 1.0));
    QStringList lines;
    for (const analysis::StepWait& wait : waits) {
        const bool isTold = wait.rank >= 0 && lines.size() < kMostWaits
            && wait.seconds >= kLeastTold * iteration.length().seconds();
        if (isTold)
            lines.append(textOf(fmt::format("{}: {} of waiting for rank {}, {}.", wait.collective,
                text::seconds(wait.seconds), wait.rank, wait.text)));
    }
    return lines.join(QLatin1Char('\n'));
}

} // namespace

IterationsController::IterationsController(QObject* parent)
    : DrawnView(true, parent) {
    m_rest.setSingleShot(true);
    m_rest.setInterval(kChoiceRestMs);
    connect(&m_rest, &QTimer::timeout, this, &IterationsController::askWaits);
}

void IterationsController::forget() {
    m_kept.clear();
    show(nullptr);
}

void IterationsController::load() {
    const Run* const run = leadingRun(workspace());
    if (run == nullptr) {
        endReading();
        return show(nullptr);
    }
    if (m_table && m_table->run.id != run->id) {
        m_rank.reset(); // another run may not have it
        show(nullptr);
    }
    const auto isWanted = [id = run->id, rank = m_rank](const Table& table) {
        return table.run.id == id && table.rank == rank;
    };
    if (!isActive() || (m_table && isWanted(*m_table) && !isLoading()))
        return;
    if (TablePtr known = m_kept.find(isWanted)) {
        endReading();
        return show(std::move(known));
    }
    readInParts<Table>(
        QStringLiteral("Iterations"),
        [run = *run, rank = m_rank](const store::Store& store, const Progress& progress,
            const std::function<void(Table)>& tell) {
            return analysis::iterationTableOf({store, run, progress}, rank, tell);
        },
        [this](Table times) { show(std::make_shared<const Table>(std::move(times))); },
        [this](Table table) { show(m_kept.keep(std::move(table))); });
}

void IterationsController::readGrowth() {
    m_kept.clear();
    const Run* const run = leadingRun(workspace());
    if (!m_table || run == nullptr)
        return;
    readQuietly<Table>(
        [run = *run, rank = m_rank](const store::Store& store, const Progress& progress) {
            return analysis::iterationTableOf({store, run, progress}, rank);
        },
        [this](Table table) { show(m_kept.keep(std::move(table))); });
}

// The chosen row stays so while it is there; at first it is the slowest behind warm-up.
void IterationsController::show(TablePtr table) {
    const TablePtr before = std::exchange(m_table, std::move(table));
    const bool isOther = !before || !m_table || before->run.id != m_table->run.id;
    const auto old = std::exchange(
        m_data, m_table ? figures::iterationsData(m_table) : plot::IterationsFigureData());
    const std::size_t shown = m_table ? workspace()->shownRuns().size() : 0;
    if (shown > 1)
        m_data.caption
            += fmt::format(" Shows {}, the first of {} chosen runs.", m_table->run.name, shown);
    showRows(isOther);
    const std::size_t count = isReady() ? m_table->rows.size() : 0;
    const auto ifThere = [count](Row row) { return row && *row < count ? row : std::nullopt; };
    if (!isOther && ifThere(old.chosen))
        return setChosen(old.chosen, ifThere(old.against));
    const auto first = std::ranges::find_if(m_rows.rows(), [this](std::int64_t row) {
        return !m_table->rows[static_cast<std::size_t>(row)].iteration.warmup;
    });
    setChosen(first == m_rows.rows().end() ? Row() : Row(*first), {});
}

void IterationsController::showRows(bool isOther) {
    TableContent content
        = contentOf(std::make_shared<text::Table>(m_table ? wordsOf(*m_table) : text::Table()),
            text::Digits::Three);
    content.canBeUnsorted = false;
    content.isOther = isOther;
    for (TableHead& head : content.heads) {
        const auto found = std::ranges::find(kGiveWay, head.title.toStdString());
        head.importance
            = found == kGiveWay.end() ? 0 : 1 + static_cast<int>(found - kGiveWay.begin());
        head.width = kMargins
            + std::ceil(widestOf(
                {head.title, QStringLiteral("−888 ms")}, Theme::instance()->secondarySize()));
    }
    const auto rates
        = std::ranges::find(content.heads, QStringLiteral("Tokens/s"), &TableHead::title)
        - content.heads.begin();
    content.row = [this, worded = content.row, table = m_table, rates](std::int64_t at) {
        TableRow row = worded(at);
        const Row place = static_cast<std::size_t>(at);
        if (const auto rate = table->rows[*place].of(analysis::IterationValue::TokensPerS)) {
            const auto unit = text::shownCount(*rate);
            row.cells[rates] = textOf(
                text::number(*rate * unit.scale) + (unit.unit.empty() ? "" : " ") + unit.unit);
        }
        row.isChosen = m_data.chosen == place || m_data.against == place;
        row.isQuiet = table->rows[*place].iteration.warmup;
        return row;
    };
    m_rows.show(std::move(content));
    if (isOther && isReady())
        m_rows.sortBy(1);
    if (m_table && m_table->isPartial)
        return;
    QStringList ranks{QStringLiteral("All")};
    for (const int rank : m_table ? m_table->ranks : std::vector<int>())
        ranks.append(QString::number(rank));
    std::vector<SettingRow> rows;
    if (ranks.size() > 2) // one is all
        rows.push_back(choiceRow("rank", QStringLiteral("Rank"), ranks,
            m_rank ? static_cast<int>(ranks.indexOf(QString::number(*m_rank))) : 0,
            QStringLiteral("The mean of all traced ranks, or one rank")));
    m_settings.setRows(std::move(rows));
}

void IterationsController::choose(const QString& /*key*/, int choice) {
    m_rank = choice > 0 ? std::optional(m_table->ranks.at(static_cast<std::size_t>(choice) - 1))
                        : std::nullopt;
    load();
}

void IterationsController::pick(int row, bool beside) {
    const auto at = m_rows.rowAt(row);
    if (!at)
        return;
    const Row picked = static_cast<std::size_t>(*at);
    if (beside && m_data.chosen && m_data.chosen != picked)
        setChosen(m_data.chosen, m_data.against == picked ? Row() : picked);
    else
        setChosen(picked, {});
    if (views() != nullptr)
        views()->select(evidenceOf(*picked));
}

void IterationsController::setChosen(Row row, Row against) {
    plot::choose(m_data, row, against);
    m_waits.clear();
    m_rows.changed();
    forgetSelection();
    m_rest.start();
    Q_EMIT chosenChanged();
    pictureChanged();
}

void IterationsController::askWaits() {
    if (!m_data.chosen || m_table->isPartial || m_table->ranks.size() < 2)
        return;
    readQuietly<QString>(
        [run = m_table->run, range = m_table->rows[*m_data.chosen].iteration.range](
            const store::Store& store, const Progress& progress) {
            return waitsIn({store, run, progress}, range);
        },
        [this, row = m_data.chosen, table = m_table](const QString& text) {
            if (table != m_table || row != m_data.chosen)
                return;
            m_waits = text;
            Q_EMIT chosenChanged();
        });
}

void IterationsController::openSelected() {
    if (views() != nullptr && last())
        views()->showOnTimeline(evidenceOf(*last()));
}

// An iteration that another view selects is chosen here.
void IterationsController::takeSelection(const Evidence& evidence) {
    if (!m_table || evidence.run != m_table->run.id)
        return;
    const auto& rows = m_table->rows;
    const auto found = std::ranges::find_if(rows, [&evidence](const analysis::IterationRow& row) {
        return evidence.range == row.iteration.range;
    });
    const Row row = static_cast<std::size_t>(found - rows.begin());
    if (found != rows.end() && row != m_data.chosen && row != m_data.against)
        setChosen(row, {});
}

figures::Figure IterationsController::figure() const {
    return figures::iterationsFigure(std::make_shared<const plot::IterationsFigureData>(m_data));
}

ExportJob IterationsController::exportJob() const {
    return isReady() && !m_table->isPartial ? exportJobOf(Views::keyOf(Views::Iterations), figure())
                                            : ExportJob();
}

} // namespace trainscope::app
