#include "app/viewmodels/workspace/Workspace.h"

#include "app/viewmodels/text/Texts.h"
#include "core/model/Try.h"
#include "core/text/RunState.h"

namespace trainscope::app {
namespace {

using Path = std::filesystem::path;

// "a/b" without a slash behind it.
Path tidied(const std::string& text) {
    const Path path = Path(text).lexically_normal();
    return path.has_filename() ? path : path.parent_path();
}

Path commonFolder(const Path& a, const Path& b) {
    Path common;
    auto at = a.begin();
    for (auto other = b.begin(); at != a.end() && other != b.end() && *at == *other; ++other)
        common /= *at++;
    return common;
}

struct SourcePlace {
    Path folder; // contains all sources
    int sources = 0;
};

constexpr int kWatchMs = 1000;
constexpr int kQuietLooks = 5; // after which nobody records any more
constexpr std::chrono::milliseconds kFigurePace{5000};

// Begin of the shown part; absent without data.
std::optional<TimeNs> beginOf(const Run& run) {
    return run.range.isEmpty() ? std::nullopt : std::optional(run.range.begin);
}

// The same but for how far they reach and whether they are finished.
bool differInLengthAlone(const std::vector<Run>& before, const std::vector<Run>& after) {
    return std::equal(
        before.begin(), before.end(), after.begin(), after.end(), [](const Run& a, const Run& b) {
            return a.id == b.id && a.name == b.name && a.gpuModel == b.gpuModel
                && a.gpuCount == b.gpuCount && a.nodeCount == b.nodeCount && a.launch == b.launch
                && beginOf(a) == beginOf(b);
        });
}

std::set<RunId> recordedNow(const std::vector<Run>& runs) {
    std::set<RunId> recorded;
    for (const Run& run : runs) {
        if (text::isBeingRecorded(run, wallClock()))
            recorded.insert(run.id);
    }
    return recorded;
}

Result<std::vector<RunId>> readByRichness(const store::Store& store) {
    std::vector<RunId> runs;
    const auto take = [&runs](const std::vector<store::SqlValue>& row) {
        runs.push_back({row.front().integer});
        return true;
    };
    RETURN_IF_ERROR(store.query(
        "SELECT id FROM run ORDER BY kind='predicted', "
        "-EXISTS(SELECT 1 FROM track WHERE run=run.id)"
        "-EXISTS(SELECT 1 FROM series WHERE run=run.id AND subject<>'run')"
        "-EXISTS(SELECT 1 FROM series WHERE run=run.id AND subject='run'), "
        "-(SELECT COUNT(*) FROM source_run WHERE run=run.id), "
        "-LENGTH((SELECT COALESCE(SUM(count),0) FROM track WHERE run=run.id)"
        "+(SELECT COALESCE(SUM(count),0) FROM series WHERE run=run.id)), name, id",
        [](const std::vector<std::string>& /*names*/) {}, take));
    return runs;
}

} // namespace

std::map<RunId, std::string> sourceFolders(
    const std::vector<std::pair<RunId, std::string>>& sourcePaths) {
    std::map<RunId, SourcePlace> places;
    for (const auto& [run, text] : sourcePaths) {
        const Path folder = tidied(text).parent_path();
        SourcePlace& place = places[run];
        place.folder = place.sources++ == 0 ? folder : commonFolder(place.folder, folder);
    }
    std::map<Path, int> users;
    for (const auto& [run, place] : places)
        ++users[place.folder];
    std::map<RunId, std::string> folders;
    for (const auto& [run, place] : places) {
        const bool isItsOwn = place.sources > 1 && users[place.folder] == 1;
        folders[run] = (isItsOwn ? place.folder.parent_path() : place.folder).string();
    }
    return folders;
}

Workspace::Workspace(QObject* parent)
    : QObject(parent) {
    m_writer.setMaxThreadCount(1);
    m_watch.setInterval(kWatchMs);
    connect(&m_watch, &QTimer::timeout, this, &Workspace::lookForGrowth);
    m_figurePace.setSingleShot(true);
    setFigurePace(kFigurePace);
    connect(&m_figurePace, &QTimer::timeout, this, &Workspace::figuresAged);
}

Workspace::~Workspace() {
    m_writer.waitForDone();
}

QString Workspace::databaseName() const {
    return shownLine(m_path.filename().string());
}

const Run* Workspace::findRun(RunId id) const {
    const auto found = std::ranges::find(m_runs, id, &Run::id);
    return found == m_runs.end() ? nullptr : &*found;
}

const Run* Workspace::findRun(const QString& name) const {
    const auto found = std::ranges::find(m_runs, name.toStdString(), &Run::name);
    return found == m_runs.end() ? nullptr : &*found;
}

std::vector<RunId> Workspace::shownIds() const {
    std::vector<RunId> ids;
    for (const plot::ShownRun& shown : m_shown)
        ids.push_back(shown.id);
    return ids;
}

std::vector<Run> Workspace::chosenRuns() const {
    std::vector<Run> chosen;
    for (const plot::ShownRun& shown : m_shown) {
        if (const Run* run = findRun(shown.id))
            chosen.push_back(*run);
    }
    return chosen;
}

void Workspace::open(const std::filesystem::path& path, Done done) {
    m_isOpening = true;
    m_waiting.clear(); // for what was open
    read(path, std::move(done));
}

void Workspace::reload(Done done) {
    // A database that is being opened is read afresh.
    if (isOpen() && !m_isOpening)
        read(m_path, std::move(done));
}

store::RunLabels Workspace::labels(RunId id) const {
    const auto found = m_labels.find(id);
    return found == m_labels.end() ? store::RunLabels{id, {}, {}} : found->second;
}

std::string Workspace::folder(RunId id) const {
    const auto found = m_folders.find(id);
    return found == m_folders.end() ? std::string() : found->second;
}

Result<Workspace::Labels> Workspace::readLabels(const store::Store& store) {
    Labels labels;
    ASSIGN_OR_RETURN(const auto said, store::runLabels(store));
    for (const store::RunLabels& one : said)
        labels[one.run] = one;
    return labels;
}

const Run* Workspace::richestRun(const std::function<bool(const Run&)>& among) const {
    for (const RunId id : m_byRichness) {
        const Run* run = findRun(id);
        if (run != nullptr && (!among || among(*run)))
            return run;
    }
    const auto any
        = std::ranges::find_if(m_runs, [&among](const Run& run) { return !among || among(run); });
    return any == m_runs.end() ? nullptr : &*any;
}

Result<Workspace::Content> Workspace::readContent(const store::Store& store) {
    Content content;
    content.uuid = store.uuid();
    ASSIGN_OR_RETURN(content.runs, store.runs());
    ASSIGN_OR_RETURN(content.labels, readLabels(store));
    ASSIGN_OR_RETURN(const auto paths, store::sourcePaths(store));
    content.folders = sourceFolders(paths);
    ASSIGN_OR_RETURN(content.byRichness, readByRichness(store));
    return content;
}

void Workspace::read(const std::filesystem::path& path, Done done) {
    const auto candidate = m_readers.candidate(path);
    const bool isReload = !m_isOpening;
    // A reading that this one supersedes would have told no more.
    if (done)
        m_waiting.push_back(std::move(done));
    m_task.ask(
        m_readers, candidate,
        [](const store::Store& store, const TaskStage<Content>&) { return readContent(store); },
        [this, candidate, isReload](Result<Content> content) {
            m_isOpening = false;
            const auto waiting = std::exchange(m_waiting, {});
            const Status status = content.hasValue() ? Status() : Status(content.error());
            if (content.hasValue())
                take(candidate, std::move(content).value(), isReload);
            for (const Done& tell : waiting)
                tell(status);
        });
}

void Workspace::take(const ReaderPool::Database& database, Content content, bool isReload) {
    const bool isSame = isReload && content.uuid == m_uuid;
    m_readers.use(database);
    m_path = database.path;
    m_uuid = std::move(content.uuid);
    m_runs = std::move(content.runs);
    m_recorded = recordedNow(m_runs);
    m_labels = std::move(content.labels);
    m_folders = std::move(content.folders);
    m_byRichness = std::move(content.byRichness);
    std::vector<RunId> shown;
    if (isSame) {
        shown = shownIds();
    } else {
        m_shown.clear();
        if (!m_runs.empty())
            shown.push_back(richestRun()->id);
        Q_EMIT databaseChanged();
    }
    m_watch.start();
    Q_EMIT runsChanged();
    setShown(shown);
}

void Workspace::lookForGrowth() {
    if (!isOpen() || m_isOpening)
        return;
    m_growthTask.ask(
        m_readers, m_readers.database(),
        [](const store::Store& store, const TaskStage<std::vector<Run>>&) { return store.runs(); },
        [this](Result<std::vector<Run>> runs) {
            // Once: a second look goes wrong too where it is more than a moment.
            m_failedLooks = runs.hasValue() ? 0 : m_failedLooks + 1;
            if (m_failedLooks == 2)
                Q_EMIT unreachable(runs.error());
            if (runs.hasValue())
                takeGrowth(std::move(runs).value());
        });
}

void Workspace::takeGrowth(std::vector<Run> runs) {
    if (!differInLengthAlone(m_runs, runs)) {
        m_quietLooks = 0;
        return reload();
    }
    const bool hasGrown = !std::equal(m_runs.begin(), m_runs.end(), runs.begin(),
        [](const Run& a, const Run& b) { return a.range == b.range && a.status == b.status; });
    m_quietLooks = hasGrown ? 0 : m_quietLooks + 1;
    setGrowing(hasGrown || (m_isGrowing && m_quietLooks < kQuietLooks));
    m_runs = std::move(runs);
    const auto before = std::exchange(m_recorded, recordedNow(m_runs));
    if (hasGrown)
        noteGrowth();
    else if (before != m_recorded) // one died
        Q_EMIT runsGrew();
}

void Workspace::noteGrowth() {
    if (!m_figurePace.isActive())
        m_figurePace.start();
    Q_EMIT runsGrew();
}

void Workspace::setGrowing(bool isGrowing) {
    if (isGrowing == std::exchange(m_isGrowing, isGrowing))
        return;
    Q_EMIT growingChanged();
}

void Workspace::close() {
    m_task.cancel();
    m_growthTask.cancel();
    m_watch.stop();
    m_figurePace.stop();
    setGrowing(false);
    m_isOpening = false;
    m_waiting.clear();
    m_readers.setDatabase({});
    m_path.clear();
    m_uuid.clear();
    m_runs.clear();
    m_labels.clear();
    m_folders.clear();
    m_shown.clear();
    Q_EMIT databaseChanged();
    Q_EMIT runsChanged();
    Q_EMIT shownRunsChanged();
}

void Workspace::change(Change change, Done done) {
    if (!isOpen()) {
        const Status refused = Error{
            ErrorCode::Refused, "No database is open any more, and nothing was changed.", {}};
        return m_readers.reply([done = std::move(done), refused] { done(refused); });
    }
    m_writer.start([this, path = m_path, change = std::move(change), done = std::move(done)] {
        auto store = store::Store::open(path, store::OpenMode::ReadWrite);
        const Status written = store.hasValue() ? change(store.value()) : Status(store.error());
        m_readers.reply([done, written] { done(written); });
    });
}

void Workspace::changeLabels(
    const std::vector<RunId>& runs, const store::Relabel& relabel, Done done) {
    const auto now = std::make_shared<std::optional<Labels>>();
    const auto work = [runs, relabel, now](store::Store& store) {
        const Status changed = store::changeLabels(store, runs, relabel);
        // A refused change may mean that others have entered something else meanwhile.
        if (auto labels = readLabels(store); labels.hasValue())
            *now = std::move(labels).value();
        return changed;
    };
    change(work, [this, path = m_path, now, done = std::move(done)](const Status& changed) {
        if (*now && path == m_path) {
            m_labels = std::move(**now);
            Q_EMIT labelsChanged();
        }
        if (done)
            done(changed);
    });
}

void Workspace::write(Change work, Done done) {
    change(std::move(work), [this, path = m_path, done = std::move(done)](const Status& written) {
        if (!written.hasValue() || path != m_path)
            return done(written);
        reload(done);
    });
}

// A run keeps its colour while it is shown; a new one takes the first that is free.
void Workspace::setShown(const std::vector<RunId>& runs) {
    const auto before = std::exchange(m_shown, {});
    const auto isWanted = [&runs](RunId id) { return std::ranges::find(runs, id) != runs.end(); };
    std::set<std::size_t> taken;
    for (const auto& shown : before) {
        if (isWanted(shown.id))
            taken.insert(shown.color);
    }
    for (const RunId id : runs) {
        const Run* run = findRun(id);
        const auto isIt = [id](const plot::ShownRun& shown) { return shown.id == id; };
        if (run == nullptr || std::ranges::any_of(m_shown, isIt))
            continue;
        const auto kept = std::ranges::find_if(before, isIt);
        std::size_t color = 0;
        while (kept == before.end() && taken.contains(color))
            ++color;
        color = kept == before.end() ? color : kept->color;
        taken.insert(color);
        m_shown.push_back({id, run->name, run->range.begin, color});
    }
    Q_EMIT shownRunsChanged();
}

const Run* leadingRun(const Workspace* workspace, RunId preferred) {
    if (workspace == nullptr || workspace->shownRuns().empty())
        return nullptr;
    const auto shown = workspace->shownIds();
    const bool isShown = std::ranges::find(shown, preferred) != shown.end();
    return workspace->findRun(isShown ? preferred : shown.front());
}

void Workspace::showOnly(const std::vector<RunId>& runs) {
    if (!runs.empty())
        setShown(runs);
}

void Workspace::showBeside(const std::vector<RunId>& runs) {
    auto shown = shownIds();
    shown.insert(shown.end(), runs.begin(), runs.end());
    showOnly(shown);
}

void Workspace::toggleShown(const std::vector<RunId>& runs) {
    const auto isOne = [&runs](RunId run) { return std::ranges::find(runs, run) != runs.end(); };
    auto shown = shownIds();
    const auto already = std::ranges::count_if(shown, isOne);
    std::erase_if(shown, isOne);
    if (already < static_cast<std::ptrdiff_t>(runs.size()))
        shown.insert(shown.end(), runs.begin(), runs.end());
    showOnly(shown);
}

} // namespace trainscope::app
