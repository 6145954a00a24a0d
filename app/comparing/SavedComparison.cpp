#include "app/comparing/SavedComparison.h"
#include "core/model/Try.h"
#include "core/store/Writing.h"

#include <QCryptographicHash>

#include <algorithm>
#include <map>

namespace trainscope::app {
namespace {

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
