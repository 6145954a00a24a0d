#include "app/comparing/SavedComparison.h"

#include "core/store/Writing.h"

#include <QCryptographicHash>
#include <QJsonArray>
#include <QJsonDocument>

namespace trainscope::app {

namespace {

using analysis::Normalisation;
using plot::ComparisonAlignment;
using plot::ComparisonPanel;

QString text(std::string_view key) {
    return QString::fromUtf8(key.data(), static_cast<qsizetype>(key.size()));
}

void decodeQuery(const QJsonObject& json, plot::ComparisonQuery& query) {
    query.wholeRun = json.value(QLatin1String("whole_run")).toBool();
    query.normalisation = fromString<analysis::Normalisation>(
        json.value(QLatin1String("normalisation")).toString().toStdString())
                              .value_or(Normalisation::Absolute);
    if (const QString metric = json.value(QLatin1String("curve_metric")).toString();
        !metric.isEmpty())
        query.curveMetric = metric.toStdString();
    query.alignment = fromString<plot::ComparisonAlignment>(
        json.value(QLatin1String("alignment")).toString().toStdString())
                          .value_or(ComparisonAlignment::Folded);
    query.iteration = json.value(QLatin1String("iteration")).toInteger();
    query.stretched = json.value(QLatin1String("stretched")).toBool();
    const std::string sortedBy = json.value(QLatin1String("sorted_by")).toString().toStdString();
    if (analysis::quantityIndex(sortedBy))
        query.sortedBy = sortedBy;
}

const QString kRun = QStringLiteral("run");
const QString kCapture = QStringLiteral("capture");

QString shown(const std::string& name) {
    return QString::fromStdString(name);
}

// A whole run by its name alone, as before there were captures.
QJsonValue encoded(const ComparedName& name) {
    if (name.capture.empty())
        return shown(name.run);
    return QJsonObject{{kRun, shown(name.run)}, {kCapture, shown(name.capture)}};
}

ComparedName decodedName(const QJsonValue& value) {
    if (!value.isObject())
        return {value.toString().toStdString()};
    const QJsonObject object = value.toObject();
    return {object.value(kRun).toString().toStdString(),
        object.value(kCapture).toString().toStdString()};
}

const QString kMoved = QStringLiteral("moved_ns"); // whole runs, by name
const QString kMovedCaptures = QStringLiteral("moved_captures");
const QString kBy = QStringLiteral("ns");

void encodeMoves(const ComparisonSettings& settings, QJsonObject& json) {
    QJsonObject moved;
    QJsonArray captures;
    for (const auto& [name, by] : settings.moved) {
        if (name.capture.empty()) {
            moved.insert(shown(name.run), qint64{by.ns});
            continue;
        }
        QJsonObject one = encoded(name).toObject();
        one.insert(kBy, qint64{by.ns});
        captures.append(one);
    }
    json.insert(kMoved, moved);
    if (!captures.isEmpty())
        json.insert(kMovedCaptures, captures);
}

void decodeMoves(const QJsonObject& json, ComparisonSettings& settings) {
    const QJsonObject moved = json.value(kMoved).toObject();
    for (auto run = moved.begin(); run != moved.end(); ++run)
        settings.moved[{run.key().toStdString()}] = DurationNs{run.value().toInteger()};
    for (const auto& one : json.value(kMovedCaptures).toArray())
        settings.moved[decodedName(one)] = DurationNs{one.toObject().value(kBy).toInteger()};
}

const QString kFingerprints = QStringLiteral("fingerprints");
constexpr qsizetype kFingerprintLength = 16;

using Fingerprints = std::map<RunId, QString>;

// Fingerprint of each run: the contents of all its sources, in whatever order they were imported.
Result<Fingerprints> fingerprintsOf(const store::Store& store) {
    ASSIGN_OR_RETURN(const auto sources, store.sources());
    std::map<RunId, std::vector<std::string>> hashes;
    for (const auto& source : sources) {
        for (const RunId run : source.runs)
            hashes[run].push_back(source.hash);
    }
    Fingerprints prints;
    for (auto& [run, all] : hashes) {
        std::ranges::sort(all);
        QCryptographicHash hash(QCryptographicHash::Sha256);
        for (const auto& one : all)
            hash.addData(QByteArray::fromStdString(one + '\n'));
        prints[run] = QString::fromLatin1(hash.result().toHex().left(kFingerprintLength));
    }
    return prints;
}

class Resolver {
public:
    Resolver(const store::Store& store, const std::vector<Run>& runs, const Fingerprints& prints)
        : m_store(store)
        , m_runs(runs)
        , m_prints(prints) { }

    Result<SavedComparison> resolve(const store::SavedComparison& kept) const {
        SavedComparison saved{kept.name, comparisonJson(kept.spec), {}, {}, {}};
        const ComparisonSettings then = decodeComparison(saved.spec);
        const QJsonObject prints = saved.spec.value(kFingerprints).toObject();
        saved.settings = then;
        saved.settings.runs.clear();
        saved.settings.moved.clear();
        std::map<std::string, const Run*> found; // each name is looked for, and told of, once
        for (const auto& name : then.runs) {
            const auto [known, isNew] = found.try_emplace(name.run, nullptr);
            if (isNew)
                known->second = find(
                    saved, name.run, prints.value(QString::fromStdString(name.run)).toString());
            const Run* const run = known->second;
            if (run == nullptr || contains(saved, run->id, name.capture))
                continue;
            ASSIGN_OR_RETURN(const bool isThere, hasCapture(saved, *run, name.capture));
            if (!isThere)
                continue;
            saved.runs.push_back({*run, {false, name.capture}});
            saved.settings.runs.push_back({run->name, name.capture});
            if (const auto moved = then.moved.find(name); moved != then.moved.end())
                saved.settings.moved[saved.settings.runs.back()] = moved->second;
        }
        return saved;
    }

private:
    static bool contains(const SavedComparison& saved, RunId run, const std::string& capture) {
        return std::ranges::any_of(saved.runs, [&](const auto& other) {
            return other.run.id == run && other.scope.capture == capture;
        });
    }

    Result<bool> hasCapture(
        SavedComparison& saved, const Run& run, const std::string& capture) const {
        if (capture.empty())
            return true;
        ASSIGN_OR_RETURN(const auto captures, m_store.captures(run.id));
        const bool isThere = std::ranges::any_of(
            captures, [&capture](const Capture& one) { return one.name == capture; });
        if (!isThere)
            saved.notes.push_back(
                "'" + run.name + "' no longer has a capture '" + capture + "', so it is left out.");
        return isThere;
    }

    [[nodiscard]] QString printOf(const Run& run) const {
        const auto found = m_prints.find(run.id);
        return found == m_prints.end() ? QString() : found->second;
    }

    // By its name, else the only run of the same data.
    const Run* find(SavedComparison& saved, const std::string& name, const QString& print) const {
        const auto named = std::ranges::find(m_runs, name, &Run::name);
        if (named != m_runs.end()) {
            if (!print.isEmpty() && printOf(*named) != print)
                saved.notes.push_back("'" + name
                    + "' was imported again since the comparison was saved; its data is another.");
            return &*named;
        }
        const auto isSame
            = [&](const Run& run) { return !print.isEmpty() && printOf(run) == print; };
        if (std::ranges::count_if(m_runs, isSame) == 1) {
            const auto renamed = std::ranges::find_if(m_runs, isSame);
            saved.notes.push_back("'" + name + "' is named '" + renamed->name + "' now.");
            return &*renamed;
        }
        saved.notes.push_back("'" + name + "' is no longer in the database, so it is left out.");
        return nullptr;
    }

    const store::Store& m_store;
    const std::vector<Run>& m_runs;
    const Fingerprints& m_prints;
};

figures::ComparisonBoard boardOf(const SavedComparison& saved) {
    const auto& settings = saved.settings;
    figures::ComparisonBoard board{saved.name, queryOf(settings, saved.runs), {}, settings.stacked,
        settings.perStage, saved.notes};
    for (const auto panel : plot::kComparisonPanels) {
        if (settings.shows(panel))
            board.panels.push_back(panel);
    }
    return board;
}

} // namespace

ComparedName comparedName(const analysis::ComparedRun& compared) {
    return {compared.run.name, compared.scope.capture};
}

bool ComparisonSettings::shows(ComparisonPanel panel) const {
    return panels.empty() || std::ranges::find(panels, panel) != panels.end();
}

QJsonObject encodeComparison(const ComparisonSettings& settings) {
    const auto& query = settings.query;
    QJsonArray runs;
    for (const auto& run : settings.runs)
        runs.append(encoded(run));
    QJsonArray panels;
    for (const auto panel : settings.panels)
        panels.append(text(toString(panel)));
    QJsonObject json{{QStringLiteral("runs"), runs}, {QStringLiteral("panels"), panels},
        {QStringLiteral("whole_run"), query.wholeRun},
        {QStringLiteral("normalisation"), text(toString(query.normalisation))},
        {QStringLiteral("curve_metric"), QString::fromStdString(query.curveMetric)},
        {QStringLiteral("alignment"), text(toString(query.alignment))},
        {QStringLiteral("iteration"), qint64{query.iteration}},
        {QStringLiteral("stretched"), query.stretched},
        {QStringLiteral("sorted_by"), QString::fromStdString(query.sortedBy)},
        {QStringLiteral("stacked"), settings.stacked},
        {QStringLiteral("per_stage"), settings.perStage}, {QStringLiteral("theme"), settings.theme},
        {QStringLiteral("scroll"), settings.scroll}};
    encodeMoves(settings, json);
    return json;
}

ComparisonSettings decodeComparison(const QJsonObject& json) {
    ComparisonSettings settings;
    decodeQuery(json, settings.query);
    for (const auto& run : json.value(QLatin1String("runs")).toArray())
        settings.runs.push_back(decodedName(run));
    for (const auto& key : json.value(QLatin1String("panels")).toArray()) {
        if (const auto panel = fromString<plot::ComparisonPanel>(key.toString().toStdString()))
            settings.panels.push_back(*panel);
    }
    decodeMoves(json, settings);
    settings.stacked = json.value(QLatin1String("stacked")).toBool();
    settings.perStage = json.value(QLatin1String("per_stage")).toBool();
    const QString theme = json.value(QLatin1String("theme")).toString();
    if (theme == QLatin1String("dark") || theme == QLatin1String("light"))
        settings.theme = theme;
    settings.scroll = std::clamp(json.value(QLatin1String("scroll")).toDouble(), 0.0, 1.0);
    return settings;
}

std::string comparisonText(const QJsonObject& json) {
    return QJsonDocument(json).toJson(QJsonDocument::Compact).toStdString();
}

QJsonObject comparisonJson(const std::string& text) {
    return QJsonDocument::fromJson(QByteArray::fromStdString(text)).object();
}

plot::ComparisonQuery queryOf(
    const ComparisonSettings& settings, const std::vector<analysis::ComparedRun>& runs) {
    plot::ComparisonQuery query = settings.query;
    bool anyMoved = false;
    bool anyCapture = false;
    for (const auto& compared : runs) {
        query.runs.push_back(compared.run.id);
        query.captures.push_back(compared.scope.capture);
        anyCapture = anyCapture || !compared.scope.capture.empty();
        const auto moved = settings.moved.find(comparedName(compared));
        query.moved.push_back(moved == settings.moved.end() ? DurationNs{0} : moved->second);
        anyMoved = anyMoved || query.moved.back().ns != 0;
    }
    if (!anyMoved)
        query.moved.clear();
    if (!anyCapture)
        query.captures.clear();
    query.withCurves = settings.shows(ComparisonPanel::Curves);
    query.withOperators = settings.shows(ComparisonPanel::Operators);
    return query;
}

Result<std::vector<SavedComparison>> savedComparisons(const store::Store& store) {
    ASSIGN_OR_RETURN(const auto kept, store.comparisons());
    ASSIGN_OR_RETURN(const auto runs, store.runs());
    ASSIGN_OR_RETURN(const auto prints, fingerprintsOf(store));
    const Resolver resolver(store, runs, prints);
    std::vector<SavedComparison> saved;
    for (const auto& one : kept) {
        ASSIGN_OR_RETURN(auto resolved, resolver.resolve(one));
        saved.push_back(std::move(resolved));
    }
    return saved;
}

Result<SavedComparison> savedComparison(const store::Store& store, const std::string& name) {
    ASSIGN_OR_RETURN(auto all, savedComparisons(store));
    std::string names;
    for (auto& one : all) {
        if (one.name == name)
            return std::move(one);
        names += (names.empty() ? "" : ", ") + one.name;
    }
    return Error{ErrorCode::NotFound,
        "There is no saved comparison '" + name + "'. "
            + (names.empty() ? std::string("None is saved here.") : "There are: " + names + "."),
        store.path().string()};
}

Result<figures::ComparisonBoard> savedBoard(const store::Store& store, const std::string& name) {
    ASSIGN_OR_RETURN(const auto saved, savedComparison(store, name));
    return boardOf(saved);
}

Result<std::vector<figures::ComparisonBoard>> savedBoards(
    const store::Store& store, const std::vector<RunId>& chosen) {
    ASSIGN_OR_RETURN(const auto saved, savedComparisons(store));
    const auto isChosen = [&chosen](const analysis::ComparedRun& one) {
        return chosen.empty() || std::ranges::find(chosen, one.run.id) != chosen.end();
    };
    std::vector<figures::ComparisonBoard> boards;
    for (const auto& one : saved) {
        if (one.runs.size() > 1 && std::ranges::all_of(one.runs, isChosen))
            boards.push_back(boardOf(one));
    }
    return boards;
}

Status saveComparison(
    store::Store& store, const std::string& name, const ComparisonSettings& settings) {
    ASSIGN_OR_RETURN(const auto runs, store.runs());
    ASSIGN_OR_RETURN(const auto prints, fingerprintsOf(store));
    QJsonObject kept;
    for (const Run& run : runs) {
        const auto print = prints.find(run.id);
        const bool isNamed = std::ranges::any_of(
            settings.runs, [&run](const ComparedName& one) { return one.run == run.name; });
        if (isNamed && print != prints.end())
            kept.insert(QString::fromStdString(run.name), print->second);
    }
    QJsonObject spec = encodeComparison(settings);
    spec.insert(kFingerprints, kept);
    return store::saveComparison(store, name, comparisonText(spec));
}

} // namespace trainscope::app
