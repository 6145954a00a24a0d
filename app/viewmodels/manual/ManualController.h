#pragma once
// The manual for QML: the open page as rich text, its pages and sections or what the search finds
// as one list, and where one has been; and the list of keys (app/manual/Keys.h): sequences of the
// handlers, hints of menus and tool tips, rows of the sheet of keys. GUI thread.

#include "app/manual/Manual.h"
#include "app/viewmodels/window/RowListModel.h"

#include <QPointer>
#include <QQmlEngine>
#include <QQuickTextDocument>
#include <QString>
#include <QVariantList>

class QSyntaxHighlighter;

namespace trainscope::app {

struct KeyLine {
    QString group; // on the first key of a group, else empty
    QString keys;
    QString action;
};

class KeyMap : public RowListModel<KeyLine> {
    Q_OBJECT
    QML_ELEMENT
    QML_SINGLETON

public:
    explicit KeyMap(QObject* parent = nullptr);

    // For Shortcut.sequences; empty for an id that is not in the list.
    Q_INVOKABLE [[nodiscard]] QVariantList sequences(const QString& id) const;
    // As printed beside a command: "Ctrl+O".
    Q_INVOKABLE [[nodiscard]] QString hint(const QString& id) const;
};

// A page, a section of the open one, or a place that the search has found.
struct ManualEntry {
    QString title; // styled text: found words are bold
    QString detail; // search results: page and surrounding words, styled; else empty
    int level = 1;
    QString name; // plain, for screen readers
    manual::Place place;

    bool operator==(const ManualEntry&) const = default;
};

class ManualController : public QObject {
    Q_OBJECT
    QML_ELEMENT
    Q_PROPERTY(QString title READ title NOTIFY pageChanged FINAL)
    Q_PROPERTY(QString html READ html NOTIFY pageChanged FINAL)
    // Document that shows the html; found words are marked in it.
    Q_PROPERTY(
        QQuickTextDocument* document READ document WRITE setDocument NOTIFY documentChanged FINAL)
    Q_PROPERTY(QString query READ query WRITE setQuery NOTIFY entriesChanged FINAL)
    Q_PROPERTY(trainscope::app::ListModel* entries READ entries CONSTANT FINAL)
    Q_PROPERTY(QString headline READ headline NOTIFY entriesChanged FINAL)
    // The entry that is shown, -1: none.
    Q_PROPERTY(int current READ current NOTIFY currentChanged FINAL)
    Q_PROPERTY(bool hasBefore READ hasBefore NOTIFY pageChanged FINAL)
    Q_PROPERTY(bool hasAfter READ hasAfter NOTIFY pageChanged FINAL)

public:
    explicit ManualController(QObject* parent = nullptr);

    [[nodiscard]] QString title() const;
    [[nodiscard]] QString html() const { return m_html; }
    [[nodiscard]] QQuickTextDocument* document() const { return m_document; }
    void setDocument(QQuickTextDocument* document);
    [[nodiscard]] QString query() const { return m_query; }
    void setQuery(const QString& query);
    [[nodiscard]] ListModel* entries() { return &m_entries; }
    [[nodiscard]] QString headline() const;
    [[nodiscard]] int current() const { return m_current; }
    [[nodiscard]] bool hasBefore() const { return m_at > 0; }
    [[nodiscard]] bool hasAfter() const { return m_at + 1 < m_visited.size(); }

    // "numbers#step-time"; web addresses go to the browser.
    Q_INVOKABLE void open(const QString& place);
    // The page or section of that name, else the first page.
    Q_INVOKABLE void openTopic(const QString& name);
    Q_INVOKABLE void openEntry(int row);
    // To the entry so many rows further, as far as there are any.
    Q_INVOKABLE void step(int rows);
    Q_INVOKABLE void goBack();
    Q_INVOKABLE void goOn();

Q_SIGNALS:
    void pageChanged();
    void documentChanged();
    void entriesChanged();
    void currentChanged();
    // The page is to be seen from this character on.
    void shown(int position);

private:
    [[nodiscard]] const manual::Place& place() const { return m_visited[m_at]; }
    void visit(const manual::Place& place);
    void show();
    void render();
    void listEntries();
    void listPages();
    void listHits();
    void setCurrent(int row);
    void mark();
    [[nodiscard]] int positionOf(const manual::Place& place) const;

    std::vector<manual::Place> m_visited;
    std::size_t m_at = 0;
    QString m_html;
    QString m_query;
    RowListModel<ManualEntry> m_entries{
        {{"title", &ManualEntry::title}, {"detail", &ManualEntry::detail},
            {"level", &ManualEntry::level}, {"name", &ManualEntry::name}}};
    int m_current = -1;
    QPointer<QQuickTextDocument> m_document;
    QPointer<QSyntaxHighlighter> m_highlighter;
};

} // namespace trainscope::app
