#include "app/viewmodels/timeline/LaneDeriving.h"

#include "core/figures/timeline/DerivedLane.h"

namespace trainscope::app {
namespace {

using analysis::Formula;

// In the order of the list.
constexpr std::array kWays{Formula::Kind::Difference, Formula::Kind::Ratio, Formula::Kind::NodeSum,
    Formula::Kind::RunSum, Formula::Kind::Rate};

bool isCalculable(const TimelineCatalogue& catalogue, const std::string& metric) {
    for (const auto& run : catalogue.tables.runs) {
        for (const Series& series : run.series) {
            if (series.description.metric.name == metric)
                return !isShared(series.description.metric.kind);
        }
    }
    return false;
}

// Into every series of a formula.
void restrict(Formula& formula, const std::optional<int>& rank, std::optional<std::size_t> run) {
    if (formula.kind == Formula::Kind::Series) {
        formula.rank = rank ? rank : formula.rank;
        formula.run = run ? run : formula.run;
    }
    for (Formula& part : formula.parts)
        restrict(part, rank, run);
}

QString countedText(std::size_t count, SubjectKind kind) {
    const figures::SubjectNoun noun = figures::nounOf(kind);
    return QString::fromStdString(
        text::counted(static_cast<std::int64_t>(count), noun.one, noun.many));
}

QString summaryOf(const figures::DerivedSet& set) {
    const SubjectKind kind = set.series.front().subject.kind;
    const QString unit = set.unit == "1"
        ? QStringLiteral("A plain number")
        : QStringLiteral("In %1").arg(QString::fromStdString(set.unit));
    if (set.series.size() == 1)
        return unit + QStringLiteral(", one line.");
    return kind == SubjectKind::Run ? unit + QStringLiteral(", a line for each run.")
                                    : unit
            + QStringLiteral(", a line for each of %1.").arg(countedText(set.series.size(), kind));
}

} // namespace

LaneDeriving::LaneDeriving(TimelineContext& context, TimelineLanes& lanes, QObject* parent)
    : QObject(parent)
    , m_context(context)
    , m_lanes(lanes) { }

QStringList LaneDeriving::ways() const {
    return {QStringLiteral("Difference, A − B"), QStringLiteral("Ratio, A / B"),
        QStringLiteral("Sum over the devices of a node"), QStringLiteral("Sum over the run"),
        QStringLiteral("Change per second")};
}

QStringList LaneDeriving::lanes() const {
    QStringList titles;
    for (const Offer& one : m_offers)
        titles.append(one.title);
    return titles;
}

QStringList LaneDeriving::gpus() const {
    QStringList all{QStringLiteral("All GPUs")};
    for (const int rank : m_context.ranks())
        all.append(QStringLiteral("Rank %1").arg(rank));
    return all;
}

QStringList LaneDeriving::runs() const {
    QStringList all{QStringLiteral("Every run")};
    for (const plot::ShownRun& run : m_context.runs)
        all.append(QString::fromStdString(run.name));
    return all;
}

void LaneDeriving::refresh() {
    offer();
    Q_EMIT offered();
}

void LaneDeriving::offer() {
    m_offers.clear();
    if (!m_context.isReady())
        return;
    for (const plot::LaneChoice& choice : m_context.catalogue->choices) {
        if (!choice.lane.metric.empty() && !choice.lane.rank
            && isCalculable(*m_context.catalogue, choice.lane.metric))
            m_offers.push_back({QString::fromStdString(choice.title),
                Formula{Formula::Kind::Series, choice.lane.metric}});
    }
    for (const plot::LaneSpec& shown : m_context.arrangement.lanes) {
        const auto parsed = analysis::parseFormula(shown.metric);
        if (parsed.hasValue())
            m_offers.push_back({QString::fromStdString(figures::derivedTitle(
                                    shown.metric, m_context.catalogue->tables, m_context.runs)),
                parsed.value().formula});
    }
}

void LaneDeriving::begin(int lane) {
    offer();
    m_changed = -1;
    m_name.clear();
    m_parts[0] = {};
    const auto& lanes = m_context.arrangement.lanes;
    if (lane >= 0 && lane < static_cast<int>(lanes.size())) {
        const plot::LaneSpec& spec = lanes[static_cast<std::size_t>(lane)];
        const auto parsed = analysis::parseFormula(spec.metric);
        const Formula wanted = parsed.hasValue() ? parsed.value().formula
                                                 : Formula{Formula::Kind::Series, spec.metric};
        const auto found = std::ranges::find(m_offers, wanted, &Offer::formula);
        m_parts[0].lane = found == m_offers.end() ? 0 : static_cast<int>(found - m_offers.begin());
        const auto ranks = m_context.ranks();
        const auto rank = std::ranges::find(ranks, spec.rank.value_or(-1));
        m_parts[0].gpu = rank == ranks.end() ? 0 : static_cast<int>(rank - ranks.begin()) + 1;
    }
    // The next that a difference makes sense with: another GPU, else another run.
    m_parts[1] = m_parts[0];
    const auto gpuCount = static_cast<int>(m_context.ranks().size());
    if (m_context.runs.size() > 1) {
        m_parts[0].run = 1;
        m_parts[1].run = 2;
    } else if (gpuCount > 1) {
        m_parts[0].gpu = std::max(1, m_parts[0].gpu);
        m_parts[1].gpu = m_parts[0].gpu % gpuCount + 1;
    }
    Q_EMIT offered();
    compose();
}

void LaneDeriving::change(int lane) {
    const auto& lanes = m_context.arrangement.lanes;
    if (lane < 0 || lane >= static_cast<int>(lanes.size()))
        return;
    const std::string& metric = lanes[static_cast<std::size_t>(lane)].metric;
    const auto parsed = analysis::parseFormula(metric);
    m_changed = lane;
    const std::size_t sign = metric.find('=');
    m_formula = QString::fromStdString(metric.substr(sign + 1)).trimmed();
    m_name = parsed.hasValue() ? QString::fromStdString(parsed.value().name) : QString();
    judge();
}

bool LaneDeriving::hasSecond() const {
    const Formula::Kind way = kWays[static_cast<std::size_t>(m_way)];
    return way == Formula::Kind::Difference || way == Formula::Kind::Ratio;
}

void LaneDeriving::setWay(int way) {
    if (way == m_way || way < 0 || way >= static_cast<int>(kWays.size()))
        return;
    m_way = way;
    // A sum is of all devices.
    const Formula::Kind kind = kWays[static_cast<std::size_t>(way)];
    if (kind == Formula::Kind::NodeSum || kind == Formula::Kind::RunSum)
        m_parts[0].gpu = 0;
    if (!hasSecond())
        m_parts[0].run = 0;
    compose();
}

void LaneDeriving::choose(int part, int field, int index) {
    Chosen& chosen = m_parts[part == 0 ? 0 : 1];
    int& at = field == 0 ? chosen.lane : field == 1 ? chosen.gpu : chosen.run;
    if (at == index)
        return;
    at = index;
    compose();
}

void LaneDeriving::setFormula(const QString& formula) {
    if (formula == m_formula)
        return;
    m_formula = formula;
    judge();
}

void LaneDeriving::setName(const QString& name) {
    // The sign would end the name.
    QString next = name;
    next.remove(QLatin1Char('='));
    if (next == m_name)
        return;
    m_name = next;
    judge();
}

Formula LaneDeriving::formulaOf(const Chosen& part) const {
    if (part.lane < 0 || part.lane >= static_cast<int>(m_offers.size()))
        return {};
    Formula formula = m_offers[static_cast<std::size_t>(part.lane)].formula;
    const auto ranks = m_context.ranks();
    std::optional<int> rank;
    if (part.gpu > 0 && part.gpu <= static_cast<int>(ranks.size()))
        rank = ranks[static_cast<std::size_t>(part.gpu - 1)];
    std::optional<std::size_t> run;
    if (part.run > 0)
        run = static_cast<std::size_t>(part.run - 1);
    restrict(formula, rank, run);
    return formula;
}

void LaneDeriving::compose() {
    if (m_offers.empty()) {
        m_formula.clear();
        judge();
        return;
    }
    Formula formula{kWays[static_cast<std::size_t>(m_way)]};
    formula.parts.push_back(formulaOf(m_parts[0]));
    if (hasSecond())
        formula.parts.push_back(formulaOf(m_parts[1]));
    m_formula = QString::fromStdString(analysis::formulaText({{}, formula})).mid(1);
    judge();
}

plot::LaneSpec LaneDeriving::lane() const {
    plot::LaneSpec lane;
    const std::string name = m_name.simplified().toStdString();
    lane.metric = name + (name.empty() ? "=" : " = ") + m_formula.trimmed().toStdString();
    return lane;
}

void LaneDeriving::judge() {
    m_title.clear();
    m_summary.clear();
    m_problem.clear();
    if (m_context.isReady() && m_offers.empty()) {
        m_problem = QStringLiteral("These runs have no samples that a lane can be made of. Import "
                                   "telemetry beside their traces.");
    } else if (m_context.isReady()) {
        plot::LaneSpec unnamed = lane();
        unnamed.metric.erase(0, unnamed.metric.find('='));
        const auto set
            = figures::resolveDerived(unnamed, m_context.catalogue->tables, m_context.runs);
        if (set.hasValue()) {
            m_title = QString::fromStdString(set.value().title);
            m_summary = summaryOf(set.value());
        } else {
            m_problem = QString::fromStdString(set.error().message);
        }
    }
    Q_EMIT changed();
}

bool LaneDeriving::accept() {
    if (!m_problem.isEmpty() || !m_context.isReady())
        return false;
    const plot::LaneSpec made = lane();
    if (m_changed >= 0)
        m_lanes.setMetric(m_changed, made.metric);
    else
        m_lanes.showOrAdd(made);
    return true;
}

} // namespace trainscope::app
