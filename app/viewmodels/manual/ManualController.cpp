#include "app/viewmodels/manual/ManualController.h"

#include "app/manual/Keys.h"
#include "app/viewmodels/text/Texts.h"
#include "app/viewmodels/window/Theme.h"

#include <QDesktopServices>
#include <QSyntaxHighlighter>
#include <QTextBlock>
#include <QTextDocument>
#include <QUrl>

namespace trainscope::app {

namespace {

QString shown(const KeyEntry& entry) {
    return QString::fromStdString(shownKeys(entry));
}

const KeyEntry* find(const QString& id) {
    const auto wanted = id.toStdString();
    const auto entries = keyEntries();
    const auto found = std::ranges::find(entries, wanted, &KeyEntry::id);
    return found == entries.end() ? nullptr : &*found;
}

// Gives the words of the query a background, wherever they stand.
class WordHighlighter : public QSyntaxHighlighter {
public:
    using QSyntaxHighlighter::QSyntaxHighlighter;

    void setWords(QStringList words) {
        m_words = std::move(words);
        rehighlight();
    }

protected:
    void highlightBlock(const QString& text) override {
        QTextCharFormat format;
        format.setBackground(Theme::instance()->accent());
        format.setForeground(Theme::instance()->onAccent());
        for (const QString& word : m_words) {
            for (auto at = text.indexOf(word, 0, Qt::CaseInsensitive); at >= 0;
                 at = text.indexOf(word, at + word.size(), Qt::CaseInsensitive))
                setFormat(static_cast<int>(at), static_cast<int>(word.size()), format);
        }
    }

private:
    QStringList m_words;
};

manual::HtmlStyle styleOf(const Theme& theme) {
    const auto name = [](const QColor& color) { return color.name().toStdString(); };
    return {name(theme.text()), name(theme.textSecondary()), name(theme.accent()),
        name(theme.line()), name(theme.raised()), theme.bodySize(), theme.titleSize()};
}

QStringList wordsOf(const QString& query) {
    return listOf(manual::queryWords(query.toStdString()));
}

int anchorPosition(const QTextDocument& document, const QString& anchor) {
    for (QTextBlock block = document.begin(); block.isValid(); block = block.next()) {
        for (auto part = block.begin(); !part.atEnd(); ++part) {
            if (part.fragment().charFormat().anchorNames().contains(anchor))
                return block.position();
        }
    }
    return 0;
}

} // namespace

KeyMap::KeyMap(QObject* parent)
    : RowListModel(
        {{"group", &KeyLine::group}, {"keys", &KeyLine::keys}, {"action", &KeyLine::action}},
        parent) {
    std::vector<KeyLine> lines;
    std::string_view group;
    for (const auto& entry : keyEntries()) {
        lines.push_back({entry.group == group ? QString() : textOf(entry.group), shown(entry),
            textOf(entry.action)});
        group = entry.group;
    }
    resetRows(std::move(lines));
}

QVariantList KeyMap::sequences(const QString& id) const {
    const auto* entry = find(id);
    if (entry == nullptr)
        return {};
    QVariantList sequences;
    const auto texts = QString::fromLatin1(entry->sequences);
    for (const auto& text : texts.split(QLatin1Char(' '), Qt::SkipEmptyParts))
        sequences.append(text);
    return sequences;
}

QString KeyMap::hint(const QString& id) const {
    const auto* entry = find(id);
    return entry == nullptr ? QString() : shown(*entry).section(QLatin1Char(' '), 0, 0);
}

ManualController::ManualController(QObject* parent)
    : QObject(parent) {
    visit({manual::pages().front().id, {}});
    connect(Theme::instance(), &Theme::changed, this, &ManualController::render);
}

QString ManualController::title() const {
    const auto* page = manual::findPage(place().page);
    return page == nullptr ? QString() : QString::fromStdString(page->markup.title);
}

QString ManualController::headline() const {
    if (m_query.trimmed().isEmpty())
        return QStringLiteral("Pages");
    return m_entries.count() == 0 ? QStringLiteral("Nothing found")
                                  : countedText(m_entries.count(), "place");
}

void ManualController::setDocument(QQuickTextDocument* document) {
    if (document == m_document)
        return;
    delete m_highlighter;
    m_document = document;
    if (document != nullptr)
        m_highlighter = new WordHighlighter(document->textDocument());
    mark();
    Q_EMIT documentChanged();
}

void ManualController::setQuery(const QString& query) {
    if (query == std::exchange(m_query, query))
        return;
    listEntries();
    mark();
    // Enter opens the first hit, wherever one is.
    if (!m_query.trimmed().isEmpty())
        setCurrent(-1);
}

void ManualController::open(const QString& address) {
    const auto target = manual::placeOf(address.toStdString());
    if (manual::findPage(target.page) != nullptr)
        visit(target);
    else
        QDesktopServices::openUrl(QUrl(address));
}

void ManualController::openTopic(const QString& name) {
    const auto found = manual::findTopic(name.toStdString());
    visit(found.value_or(manual::Place{manual::pages().front().id, {}}));
}

void ManualController::openEntry(int row) {
    if (!m_entries.isThere(row))
        return;
    const manual::Place target = m_entries.rows()[static_cast<std::size_t>(row)].place;
    visit(target);
}

void ManualController::step(int rows) {
    if (m_entries.count() > 0)
        openEntry(std::clamp(m_current + rows, 0, m_entries.count() - 1));
}

void ManualController::goBack() {
    if (!hasBefore())
        return;
    --m_at;
    show();
}

void ManualController::goOn() {
    if (!hasAfter())
        return;
    ++m_at;
    show();
}

void ManualController::visit(const manual::Place& target) {
    if (!m_visited.empty() && place() == target)
        return show();
    m_visited.resize(m_visited.empty() ? 0 : m_at + 1);
    m_visited.push_back(target);
    m_at = m_visited.size() - 1;
    show();
}

void ManualController::show() {
    render();
    listEntries();
    Q_EMIT shown(positionOf(place()));
}

void ManualController::render() {
    if (const auto* page = manual::findPage(place().page))
        m_html = QString::fromStdString(manual::htmlPage(*page, styleOf(*Theme::instance())));
    Q_EMIT pageChanged();
}

void ManualController::listEntries() {
    // A list that has a current entry complains of others.
    setCurrent(-1);
    if (m_query.trimmed().isEmpty())
        listPages();
    else
        listHits();
    const auto& rows = m_entries.rows();
    const auto shownRow
        = std::ranges::find_if(rows, [this](const auto& row) { return row.place == place(); });
    Q_EMIT entriesChanged();
    setCurrent(shownRow == rows.end() ? -1 : static_cast<int>(shownRow - rows.begin()));
}

void ManualController::setCurrent(int row) {
    m_current = row;
    Q_EMIT currentChanged();
}

void ManualController::listPages() {
    std::vector<ManualEntry> rows;
    for (const auto& page : manual::pages()) {
        for (const auto& section : page.sections) {
            const bool isListed
                = section.anchor.empty() || (page.id == place().page && section.level == 2);
            const QString title = QString::fromStdString(section.title);
            if (isListed)
                rows.push_back({title.toHtmlEscaped(), {}, section.level, title,
                    manual::Place{page.id, section.anchor}});
        }
    }
    m_entries.setRows(std::move(rows));
}

void ManualController::listHits() {
    const auto wanted = manual::queryWords(m_query.toStdString());
    const auto styled = [&wanted](const std::string& text) {
        return QString::fromStdString(manual::withBoldWords(text, wanted));
    };
    std::vector<ManualEntry> rows;
    for (const auto& hit : manual::search(m_query.toStdString())) {
        const QString page = QString::fromStdString(hit.pageTitle);
        rows.push_back({styled(hit.title),
            hit.place.anchor.empty()
                ? styled(hit.excerpt)
                : page.toHtmlEscaped() + QStringLiteral(" · ") + styled(hit.excerpt),
            1, QString::fromStdString(hit.title), hit.place});
    }
    m_entries.setRows(std::move(rows));
}

void ManualController::mark() {
    // It is the only kind that setDocument() makes.
    if (m_highlighter)
        static_cast<WordHighlighter*>(m_highlighter.data())->setWords(wordsOf(m_query));
}

// Position of a place that the search has found: that of the first found word in it.
int ManualController::positionOf(const manual::Place& target) const {
    if (!m_document || m_document->textDocument() == nullptr)
        return 0;
    const QTextDocument& document = *m_document->textDocument();
    const int begin = target.anchor.empty()
        ? 0
        : anchorPosition(document, QString::fromStdString(target.anchor));
    int first = -1;
    for (const QString& word : wordsOf(m_query)) {
        const QTextCursor found = document.find(word, begin);
        if (!found.isNull() && (first < 0 || found.selectionStart() < first))
            first = found.selectionStart();
    }
    return first < 0 ? begin : first;
}

} // namespace trainscope::app
