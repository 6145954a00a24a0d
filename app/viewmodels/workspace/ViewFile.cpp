#include "app/viewmodels/workspace/ViewFile.h"

#include "app/viewmodels/text/Texts.h"
#include "core/model/InteractiveThread.h"

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QSaveFile>

#include <mutex>

namespace trainscope::app {
namespace {

using plot::LaneStyle;
using plot::TimeDisplay;

std::string textIn(const QJsonObject& object, const char* key) {
    return object.value(QLatin1String(key)).toString().toStdString();
}

// "thread" in files that older versions wrote.
std::optional<LaneStyle> styleIn(const QJsonObject& object) {
    const std::string name = textIn(object, "style");
    return name == "thread" ? LaneStyle::Thread : fromString<LaneStyle>(name);
}

QJsonObject encodeLane(const plot::LaneSpec& lane) {
    QJsonObject object{{QStringLiteral("style"), textOf(toString(lane.style))},
        {QStringLiteral("metric"), QString::fromStdString(lane.metric)},
        {QStringLiteral("height"), lane.height}};
    if (lane.rank)
        object.insert(QStringLiteral("rank"), *lane.rank);
    if (lane.isFixed)
        object.insert(QStringLiteral("fixed"), true);
    return object;
}

std::optional<plot::LaneSpec> decodeLane(const QJsonObject& object) {
    const auto style = styleIn(object);
    if (!style)
        return std::nullopt;
    plot::LaneSpec lane;
    lane.style = *style;
    lane.metric = textIn(object, "metric");
    lane.height
        = std::clamp(object.value(QLatin1String("height")).toDouble(lane.height), 16.0, 4000.0);
    if (object.contains(QLatin1String("rank")))
        lane.rank = object.value(QLatin1String("rank")).toInt();
    lane.isFixed = object.value(QLatin1String("fixed")).toBool();
    return lane;
}

// Nanoseconds do not fit a JSON number.
QJsonObject encodeMark(const Mark& mark) {
    return {{QStringLiteral("run"), QString::fromStdString(mark.run)},
        {QStringLiteral("begin_ns"), QString::number(mark.range.begin.ns)},
        {QStringLiteral("end_ns"), QString::number(mark.range.end.ns)},
        {QStringLiteral("label"), QString::fromStdString(mark.label)}};
}

std::optional<Mark> decodeMark(const QJsonObject& object) {
    bool beginOk = false;
    bool endOk = false;
    Mark mark;
    mark.run = textIn(object, "run");
    mark.range.begin.ns = object.value(QLatin1String("begin_ns")).toString().toLongLong(&beginOk);
    mark.range.end.ns = object.value(QLatin1String("end_ns")).toString().toLongLong(&endOk);
    mark.label = textIn(object, "label");
    if (!beginOk || !endOk || mark.range.end < mark.range.begin)
        return std::nullopt;
    return mark;
}

QString pathOf(const QString& folder, const std::string& uuid) {
    QString name = QString::fromStdString(uuid);
    for (QChar& c : name) {
        if (!c.isLetterOrNumber() && c != QLatin1Char('-'))
            c = QLatin1Char('_');
    }
    return QDir(folder).filePath(name + QLatin1String(".json"));
}

QByteArray readFile(const QString& folder, const std::string& uuid) {
    assertMayBlock("reads what is remembered of the views");
    QFile file(pathOf(folder, uuid));
    if (uuid.empty() || !file.open(QIODevice::ReadOnly))
        return {};
    return file.readAll();
}

Error notRemembered(const QString& path, const QString& reason) {
    return {ErrorCode::Io,
        "The arrangement of the views cannot be remembered: " + reason.toStdString(),
        path.toStdString()};
}

// Null takes a key away.
Status mergeIntoFile(const QString& folder, const std::string& uuid, const QJsonObject& changes) {
    assertMayBlock("writes what is remembered of the views");
    // Timeline and figures write from threads of their own.
    static std::mutex mutex;
    const std::lock_guard lock(mutex);
    QJsonObject root = QJsonDocument::fromJson(readFile(folder, uuid)).object();
    for (auto it = changes.begin(); it != changes.end(); ++it) {
        if (it.value().isNull())
            root.remove(it.key());
        else
            root.insert(it.key(), it.value());
    }
    const QString path = pathOf(folder, uuid);
    QSaveFile file(path);
    if (!QDir().mkpath(folder) || !file.open(QIODevice::WriteOnly))
        return notRemembered(path, file.errorString());
    file.write(QJsonDocument(root).toJson(QJsonDocument::Indented));
    if (!file.commit())
        return notRemembered(path, file.errorString());
    return {};
}

} // namespace

QThreadPool& viewFiles() {
    static QThreadPool pool;
    pool.setMaxThreadCount(1);
    return pool;
}

QString viewFolder() {
    QString state = QString::fromLocal8Bit(qgetenv("XDG_STATE_HOME"));
    if (state.isEmpty())
        state = QDir::home().filePath(QStringLiteral(".local/state"));
    return QDir(state).filePath(QStringLiteral("trainscope/views"));
}

QByteArray encodeTimeline(const SavedTimeline& view) {
    QJsonObject root{{QStringLiteral("version"), 1},
        {QStringLiteral("time"), textOf(toString(view.display))},
        {QStringLiteral("overlays"), view.overlays}};
    if (view.alignment)
        root.insert(QStringLiteral("alignment"), textOf(toString(*view.alignment)));
    if (view.arrangement) {
        QJsonArray lanes;
        for (const auto& lane : view.arrangement->lanes)
            lanes.append(encodeLane(lane));
        root.insert(QStringLiteral("lanes"), lanes);
    }
    QJsonArray marks;
    for (const auto& mark : view.marks)
        marks.append(encodeMark(mark));
    root.insert(QStringLiteral("marks"), marks);
    return QJsonDocument(root).toJson(QJsonDocument::Indented);
}

SavedTimeline decodeTimeline(const QByteArray& json) {
    const QJsonObject root = QJsonDocument::fromJson(json).object();
    SavedTimeline view;
    view.display = fromString(textIn(root, "time"), TimeDisplay::Relative);
    view.alignment = fromString<AlignmentMode>(textIn(root, "alignment"));
    view.overlays = root.value(QLatin1String("overlays")).toBool(true);
    if (root.contains(QLatin1String("lanes"))) {
        view.arrangement.emplace();
        for (const auto& value : root.value(QLatin1String("lanes")).toArray()) {
            if (auto lane = decodeLane(value.toObject()))
                view.arrangement->lanes.push_back(std::move(*lane));
        }
    }
    for (const auto& value : root.value(QLatin1String("marks")).toArray()) {
        if (auto mark = decodeMark(value.toObject()))
            view.marks.push_back(std::move(*mark));
    }
    return view;
}

SavedTimeline readTimeline(const QString& folder, const std::string& uuid) {
    return decodeTimeline(readFile(folder, uuid));
}

Status writeTimeline(const QString& folder, const std::string& uuid, const SavedTimeline& view) {
    QJsonObject changes = QJsonDocument::fromJson(encodeTimeline(view)).object();
    if (!view.arrangement)
        changes.insert(QStringLiteral("lanes"), QJsonValue::Null);
    return mergeIntoFile(folder, uuid, changes);
}

SavedViews readViews(const QString& folder, const std::string& uuid) {
    const QJsonObject root = QJsonDocument::fromJson(readFile(folder, uuid)).object();
    return {root.value(QLatin1String("view")).toString(),
        root.value(QLatin1String("settings")).toObject()};
}

Status writeViews(const QString& folder, const std::string& uuid, const SavedViews& views) {
    return mergeIntoFile(folder, uuid,
        {{QStringLiteral("version"), 1}, {QStringLiteral("view"), views.view},
            {QStringLiteral("settings"), views.settings}});
}

} // namespace trainscope::app
