#pragma once
// The settings of the Compare view, and the comparisons that a database keeps by name: listed and
// changed in the background. A change that cannot be written (a read-only file, a database in use)
// says so and changes nothing. GUI thread; plain functions: any thread.

#include "app/comparing/SavedComparison.h"
#include "app/viewmodels/workspace/Setting.h"
#include "app/viewmodels/workspace/Workspace.h"

namespace trainscope::app {

// Choices of the controls besides fixed ones.
struct ComparisonOffers {
    std::vector<plot::FigureChoice> metrics; // metrics in the database
    std::vector<plot::FigureChoice> quantities; // quantities of the compared runs
    std::vector<std::int64_t> iterations; // those that all compared runs have, ascending
    std::size_t runs = 0; // number of compared runs
};
// The board keeps them itself (SavedComparison.h).
using ComparisonSettingList = SettingList<ComparisonSettings, ComparisonOffers>;
const ComparisonSettingList& comparisonSettings();

// Switches of the board's menu: its looks, and a panel each, of which one at least stays.
const ComparisonSettingList& boardLooks();

class ComparisonLibrary : public QObject {
    Q_OBJECT

public:
    using QObject::QObject;

    // nullptr: none is open.
    void setWorkspace(Workspace* workspace);

    [[nodiscard]] QStringList names() const; // in alphabetical order
    [[nodiscard]] bool contains(const QString& name) const { return m_known.contains(name); }
    // nullptr: there is none. Valid until changed().
    [[nodiscard]] const SavedComparison* find(const QString& name) const;

    // Replaces the one of that name. `done` follows here and below, where it went well.
    using Done = std::function<void()>;
    void save(const QString& name, const ComparisonSettings& settings, Done done);
    // Renamed to the name of another one is refused.
    void rename(const QString& name, const QString& wanted, Done done);
    void remove(const QString& name, std::function<void(const SavedComparison& gone)> done);
    // A removed one as it was kept, with those of its runs that are gone.
    void putBack(const SavedComparison& removed, Done done);

Q_SIGNALS:
    void changed(); // names, settings, or what has become of the runs
    void failed(const trainscope::Error& error);

private:
    using Known = std::map<QString, SavedComparison>;

    static Result<Known> knownIn(const store::Store& store);
    void read();
    void write(std::function<Status(store::Store&)> work, Done done);

    QPointer<Workspace> m_workspace;
    Task<Known> m_task;
    Known m_known;
};

} // namespace trainscope::app
