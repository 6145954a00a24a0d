#include "app/viewmodels/importing/ImportGroupModel.h"

#include "app/viewmodels/text/Texts.h"

namespace trainscope::app {

namespace {

using Line = ImportGroupRow;

// Lines that stay keep their delegates, so that a field that is typed into keeps its focus.
bool isSameLine(const Line& a, const Line& b) {
    return a.kind == b.kind && a.group == b.group && a.unit == b.unit
        && (a.kind != ImportGroupModel::Remark || a.title == b.title);
}

void nameSources(std::vector<Line>& lines) {
    QStringList titles;
    for (const Line& line : lines) {
        if (line.kind == ImportGroupModel::Source)
            titles.append(line.title);
    }
    const QStringList briefs = briefNames(titles);
    qsizetype next = 0;
    for (Line& line : lines) {
        if (line.kind == ImportGroupModel::Source)
            line.brief = briefs[next++];
    }
}

} // namespace

ImportGroupModel::ImportGroupModel(ImportPlanModel& plan, QObject* parent)
    : RowListModel(
        {{"title", &Line::title}, {"brief", &Line::brief}, {"kind", &Line::kind},
            {"result", &Line::result}, {"detail", &Line::detail}, {"problem", &Line::problem},
            {"run", &Line::run}, {"sizeText", &Line::sizeText}, {"fields", &Line::fields},
            {"machine", &Line::isMachine}, {"database", &Line::isDatabase},
            {"runFaulty", &Line::runFaulty}, {"checkState", &Line::checkState},
            {"unfolded", &Line::isUnfolded}, {"marked", &Line::isMarked}},
        parent)
    , m_plan(plan) {
    connect(&m_plan, &QAbstractItemModel::modelAboutToBeReset, this, [this] {
        m_groups.clear();
        m_anchor = -1;
    });
    connect(&m_plan, &ImportPlanModel::changed, this, [this] {
        if (m_groups.empty())
            begin();
        else
            refresh();
    });
}

void ImportGroupModel::begin() {
    regroup();
    // A group with a problem is unfolded at once.
    for (Group& group : m_groups)
        group.isUnfolded = group.units.size() > 1 && !rowOf(group).problem.isEmpty();
    refresh();
}

QStringList ImportGroupModel::runChoices() const {
    QStringList names;
    const auto add = [&names](const std::string& name) {
        const auto text = shownLine(name);
        if (!text.isEmpty() && !names.contains(text))
            names.append(text);
    };
    for (const Group& group : m_groups) {
        if (!planned(group.units.front()).unit.machine)
            add(nameOf(group));
    }
    for (const trainscope::Run& run : m_plan.knownRuns())
        add(run.name);
    return names;
}

QString ImportGroupModel::scopeText() const {
    const auto all = static_cast<int>(m_groups.size());
    if (markedCount() > 0 && all > 1)
        return QStringLiteral("%1 of %2 runs").arg(markedCount()).arg(all);
    return all == 1 ? QStringLiteral("The run") : QStringLiteral("All %1 runs").arg(all);
}

QVariantList ImportGroupModel::scopeFields() const {
    std::vector<const ImportRow*> sources;
    for (const int unit : scope())
        sources.push_back(&planned(unit));
    return m_groups.size() > 1 ? cellsOf(sources, {ImportField::Of::Both}) : QVariantList();
}

bool ImportGroupModel::isSplittable() const {
    return std::ranges::any_of(m_groups,
        [this](const Group& group) { return group.isMarked && partsOf(group).size() > 1; });
}

ImportGroupModel::Group* ImportGroupModel::groupAt(int row) {
    if (!isThere(row))
        return nullptr;
    const int id = rows()[static_cast<std::size_t>(row)].group;
    const auto found = std::ranges::find(m_groups, id, &Group::id);
    return found == m_groups.end() ? nullptr : &*found;
}

ImportPlanModel::Units ImportGroupModel::unitsAt(int row) {
    const Group* group = groupAt(row);
    if (group == nullptr)
        return {};
    const Line& line = rows()[static_cast<std::size_t>(row)];
    return line.kind == Source ? Units{line.unit} : group->units;
}

ImportPlanModel::Units ImportGroupModel::scope() const {
    const bool ofAll = markedCount() == 0;
    Units units;
    for (const Group& group : m_groups) {
        if (ofAll || group.isMarked)
            units.insert(units.end(), group.units.begin(), group.units.end());
    }
    return units;
}

// Sources of one run in the order of the plan; a run's topology behind them. A group goes on that
// had the first of them before.
void ImportGroupModel::regroup() {
    std::vector<Group> before = std::exchange(m_groups, {});
    std::map<int, Group*> groupOf; // unit → before
    for (Group& group : before) {
        for (const int unit : group.units)
            groupOf[unit] = &group;
    }
    std::map<std::pair<std::string, int>, std::size_t> byName; // without a name each is alone
    std::set<int> taken;
    const auto take = [&](int unit) {
        const std::string name = importers::runText(planned(unit).unit);
        const auto [found, isNew]
            = byName.try_emplace({name, name.empty() ? unit : -1}, m_groups.size());
        if (isNew) {
            Group group;
            const auto old = groupOf.find(unit);
            if (old != groupOf.end() && taken.insert(old->second->id).second)
                group = *old->second;
            else
                group.id = m_nextId++;
            group.units.clear();
            m_groups.push_back(std::move(group));
        }
        m_groups[found->second].units.push_back(unit);
    };
    for (const bool machines : {false, true}) {
        for (int unit = 0; unit < m_plan.count(); ++unit) {
            if (planned(unit).unit.machine.has_value() == machines)
                take(unit);
        }
    }
    for (Group& group : m_groups)
        sortByRank(group.units);
    refresh();
}

// Those of one format by their ranks; the plan has them together.
void ImportGroupModel::sortByRank(Units& units) const {
    const auto rankOf = [this](int unit) { return planned(unit).unit.rank.value_or(-1); };
    for (auto first = units.begin(); first != units.end();) {
        const std::string& format = planned(*first).unit.importer;
        const auto last = std::find_if(
            first, units.end(), [&](int unit) { return planned(unit).unit.importer != format; });
        std::stable_sort(first, last, [&](int a, int b) { return rankOf(a) < rankOf(b); });
        first = last;
    }
}

void ImportGroupModel::refresh() {
    std::vector<Line> lines;
    for (const Group& group : m_groups) {
        lines.push_back(rowOf(group));
        if (!group.isUnfolded)
            continue;
        auto remarks = remarksOf(group);
        std::move(remarks.begin(), remarks.end(), std::back_inserter(lines));
        for (const bool machines : {true, false}) { // few, and they may ask
            for (const int unit : group.units) {
                if (planned(unit).unit.machine.has_value() == machines)
                    lines.push_back(rowOf(group, unit));
            }
        }
    }
    nameSources(lines);
    setRows(std::move(lines), isSameLine);
    Q_EMIT changed();
}

ImportGroupRow ImportGroupModel::rowOf(const Group& group) const {
    std::vector<const ImportRow*> sources;
    for (const int unit : group.units)
        sources.push_back(&planned(unit));
    Line line = rowOfRun(sources);
    line.kind = Run;
    line.group = group.id;
    line.isUnfolded = group.isUnfolded;
    line.isMarked = group.isMarked;
    return line;
}

ImportGroupRow ImportGroupModel::rowOf(const Group& group, int unit) const {
    Line line = rowOfSource(planned(unit));
    line.kind = Source;
    line.group = group.id;
    line.unit = unit;
    line.isMarked = group.isMarked;
    if (group.units.size() == 1)
        line.fields.clear(); // they are in the run's row
    return line;
}

std::vector<ImportGroupRow> ImportGroupModel::remarksOf(const Group& group) const {
    std::vector<const ImportRow*> rows;
    for (const int unit : group.units)
        rows.push_back(&planned(unit));
    std::vector<Line> lines;
    for (auto& text : groupRemarks(rows)) {
        Line line;
        line.kind = Remark;
        line.group = group.id;
        line.title = std::move(text);
        line.isMarked = group.isMarked;
        lines.push_back(std::move(line));
    }
    return lines;
}

void ImportGroupModel::toggle(int row) {
    if (Group* group = groupAt(row)) {
        group->isUnfolded = !group->isUnfolded;
        refresh();
    }
}

// A topology beside the run's files goes on with them by itself.
void ImportGroupModel::setRunName(int row, const QString& text) {
    Units units = unitsAt(row);
    const bool hasSources = std::ranges::any_of(
        units, [this](int unit) { return !planned(unit).unit.machine.has_value(); });
    if (hasSources) {
        std::erase_if(units, [this](int unit) {
            return planned(unit).unit.machine && planned(unit).unit.runName.empty();
        });
    }
    m_plan.setRunName(units, text);
}

void ImportGroupModel::mark(int row, bool adding, bool extending) {
    const Group* chosen = groupAt(row);
    if (chosen == nullptr)
        return;
    const int id = chosen->id;
    const bool wasMarked = chosen->isMarked;
    const bool wasOnly = wasMarked && markedCount() == 1;
    if (!adding) {
        for (Group& group : m_groups)
            group.isMarked = false;
    }
    bool isBetween = false;
    for (Group& group : m_groups) {
        const bool isEnd = group.id == id || group.id == m_anchor;
        if (group.id == id)
            group.isMarked = adding && !extending ? !wasMarked : extending || !wasOnly;
        else if (extending && m_anchor >= 0 && (isBetween || isEnd))
            group.isMarked = true;
        if (isEnd && id != m_anchor)
            isBetween = !isBetween;
    }
    if (!extending)
        m_anchor = id;
    refresh();
}

void ImportGroupModel::clearMarks() {
    for (Group& group : m_groups)
        group.isMarked = false;
    m_anchor = -1;
    refresh();
}

void ImportGroupModel::merge() {
    const auto first = std::ranges::find_if(m_groups, [this](const Group& group) {
        return group.isMarked && planned(group.units.front()).isSource();
    });
    if (first == m_groups.end() || markedCount() < 2)
        return;
    const QString name = QString::fromStdString(nameOf(*first));
    Units units = scope();
    std::erase_if(units, [this](int unit) { return !planned(unit).isSource(); });
    m_plan.setRunName(units, name);
    regroup();
}

// The run's sources by the names that they are to have.
std::vector<std::pair<std::string, ImportPlanModel::Units>> ImportGroupModel::partsOf(
    const Group& group) const {
    std::map<std::string, Units> byPlan;
    std::map<std::string, Units> bySource;
    for (const int unit : group.units) {
        const ImportRow& row = planned(unit);
        if (!row.isSource())
            continue;
        byPlan[row.plannedRun].push_back(unit);
        bySource[sourceName(row.unit)].push_back(unit);
    }
    const auto& parts = byPlan.size() > 1 ? byPlan : bySource;
    return {parts.begin(), parts.end()};
}

void ImportGroupModel::split() {
    std::vector<std::pair<std::string, Units>> all;
    for (const Group& group : m_groups) {
        if (!group.isMarked)
            continue;
        auto parts = partsOf(group);
        if (parts.size() > 1)
            std::move(parts.begin(), parts.end(), std::back_inserter(all));
    }
    for (const auto& [name, units] : all)
        m_plan.setRunName(units, QString::fromStdString(name));
    regroup();
}

} // namespace trainscope::app
