#pragma once
// Real files for QML tests: runs imported once per program, as the window itself would, and what
// stands in a window by its object name, its accessible name or its words.

#include <QAccessible>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QHash>
#include <QObject>
#include <QQuickItem>
#include <QQuickWindow>
#include <QString>
#include <QTemporaryDir>
#include <QUrl>

#include "app/importing/Import.h"

#include <algorithm>
#include <future>
#include <vector>

class RealData : public QObject {
    Q_OBJECT

public:
    // A path below the folder of shared data; empty: it is not there.
    Q_INVOKABLE static QUrl source(const QString& path) {
        const QString full
            = qEnvironmentVariable("TRAINSCOPE_SHARED") + QStringLiteral("/data/") + path;
        return QFileInfo::exists(full) ? QUrl::fromLocalFile(QDir::cleanPath(full)) : QUrl();
    }
    // A database with what lies there, several paths with "+" between them; empty: not all are
    // there.
    Q_INVOKABLE QUrl database(const QString& paths) {
        QString& made = m_made[paths];
        if (made.isEmpty()) {
            std::vector<std::string> sources;
            for (const QString& path : paths.split(u'+')) {
                const QUrl url = source(path);
                if (url.isEmpty())
                    return {};
                sources.push_back(url.toLocalFile().toStdString());
            }
            const QString target
                = m_folder.filePath(QStringLiteral("real_%1.trainscope").arg(m_made.size()));
            // The thread of the window must not wait for a database.
            std::async(std::launch::async, [&] {
                importInto(target.toStdString(), sources);
            }).get();
            made = target;
        }
        return QUrl::fromLocalFile(made);
    }
    // An empty folder, or one with that text as its only file.
    Q_INVOKABLE QUrl folder(const QString& name, const QString& file, const QString& text) const {
        QDir(m_folder.path()).mkpath(name);
        QFile written(m_folder.filePath(name + u'/' + file));
        if (!file.isEmpty() && written.open(QIODevice::WriteOnly))
            written.write(text.toUtf8());
        return QUrl::fromLocalFile(m_folder.filePath(name));
    }
    Q_INVOKABLE static QString read(const QUrl& url) {
        QFile file(url.toLocalFile());
        return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
    }
    // The item of that object name, text or accessible name; else one with a text that begins with
    // it, else that holds it. Sheets and menus come before what they cover. Null: none is shown.
    Q_INVOKABLE static QQuickItem* item(QQuickWindow* window, const QString& what) {
        std::vector<QQuickItem*> items;
        for (QQuickItem* child : window->contentItem()->childItems())
            collect(*child, items);
        std::stable_partition(items.begin(), items.end(), [](const QQuickItem* item) {
            for (const auto* at = item; at != nullptr; at = at->parentItem()) {
                if (at->inherits("QQuickOverlay"))
                    return true;
            }
            return false;
        });
        const auto first = [&](const auto& matches) -> QQuickItem* {
            const auto at = std::find_if(items.begin(), items.end(), matches);
            return at == items.end() ? nullptr : *at;
        };
        const auto text = [](const QQuickItem* item) { return item->property("text").toString(); };
        if (auto* found = first([&](auto* item) { return item->objectName() == what; }))
            return found;
        if (auto* found = first([&](auto* item) { return text(item) == what; }))
            return found;
        if (auto* found = first([&](auto* item) { return accessibleName(*item) == what; }))
            return found;
        if (auto* found = first([&](auto* item) { return text(item).startsWith(what); }))
            return found;
        return first([&](auto* item) { return text(item).contains(what); });
    }
    // The texts that are shown, top down in the order of items.
    Q_INVOKABLE static QStringList texts(QQuickWindow* window) {
        std::vector<QQuickItem*> items;
        collect(*window->contentItem(), items);
        QStringList found;
        for (const QQuickItem* item : items) {
            const QString text = item->property("text").toString();
            if (!text.isEmpty() && item->inherits("QQuickText"))
                found.append(text);
        }
        return found;
    }
    // Writes NAME.png into the folder that TRAINSCOPE_PICTURES names, where one does.
    Q_INVOKABLE static bool picture(QQuickWindow* window, const QString& name) {
        const QString folder = qEnvironmentVariable("TRAINSCOPE_PICTURES");
        return folder.isEmpty()
            || window->grabWindow().save(folder + u'/' + name + QStringLiteral(".png"));
    }

private:
    static void importInto(const std::string& target, const std::vector<std::string>& sources) {
        using namespace trainscope;
        const auto planned = app::planGiven({sources}, [](auto&&...) { return true; });
        if (!planned.hasValue())
            qFatal("%s", planned.error().message.c_str());
        const auto made
            = app::importPlanned(planned.value(), target, [](auto&&...) { return true; });
        if (!made.hasValue())
            qFatal("%s", made.error().message.c_str());
    }
    static QString accessibleName(QQuickItem& item) {
        const auto* accessible = QAccessible::queryAccessibleInterface(&item);
        return accessible == nullptr ? QString() : accessible->text(QAccessible::Name);
    }
    static void collect(QQuickItem& item, std::vector<QQuickItem*>& items) {
        if (!item.isVisible() || item.opacity() <= 0.0)
            return;
        items.push_back(&item);
        for (QQuickItem* child : item.childItems())
            collect(*child, items);
    }

    QTemporaryDir m_folder;
    QHash<QString, QString> m_made;
};
