#pragma once
// Tables of the inspector that are read only while they are asked for, since each takes a pass over
// the trace: the question, and what is shown of the answer. GUI thread.

#include <QObject>
#include <QQmlEngine>
#include <QString>

#include "app/viewmodels/workspace/TableModel.h"
#include "core/model/Result.h"
#include "core/report/SelectionTables.h"

#include <cstddef>
#include <deque>
#include <vector>

namespace trainscope::app {

struct AskedReading {
    std::vector<report::SourcedTable> tables;
    std::vector<std::size_t> places; // index of each of the tables' runs among the shown ones
    QString whyNothing; // or the answer; shown where the first has no rows
};

class AskedTables : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("Comes from the inspector.")
    Q_PROPERTY(QString question READ question CONSTANT FINAL)
    Q_PROPERTY(QString tip READ tip CONSTANT FINAL)
    Q_PROPERTY(bool ofWholeRuns READ isOfWholeRuns CONSTANT FINAL) // else of the selection
    Q_PROPERTY(QVariantList tables READ tables CONSTANT FINAL) // each a TableModel
    // There can be an answer.
    Q_PROPERTY(bool available READ isAvailable NOTIFY changed FINAL)
    Q_PROPERTY(bool asked READ isAsked WRITE setAsked NOTIFY askedChanged FINAL)
    // Says that they are being read, or why nothing is there.
    Q_PROPERTY(QString text READ text NOTIFY changed FINAL)

public:
    struct Words {
        QString question;
        QString tip;
        QString doing; // while they are read
    };
    AskedTables(Words words, std::size_t tables, bool isOfWholeRuns = false);

    [[nodiscard]] const QString& question() const { return m_words.question; }
    [[nodiscard]] const QString& tip() const { return m_words.tip; }
    [[nodiscard]] bool isOfWholeRuns() const { return m_isOfWholeRuns; }
    [[nodiscard]] QVariantList tables();
    [[nodiscard]] const std::deque<TableModel>& models() const { return m_tables; }
    [[nodiscard]] bool isAvailable() const { return m_isAvailable; }
    void setAvailable(bool available);
    [[nodiscard]] bool isAsked() const { return m_isAsked; }
    void setAsked(bool asked);
    void toggle() { setAsked(!m_isAsked); }
    [[nodiscard]] const QString& text() const { return m_text; }

    void showDoing() { say(m_words.doing); }
    void show(const Result<AskedReading>& reading);
    void clear();

Q_SIGNALS:
    void changed();
    void askedChanged();
    void rowSelected(std::size_t run, const std::string& name); // `run` counts the shown runs

private:
    void fill(const AskedReading& reading);
    void say(const QString& text);

    Words m_words;
    bool m_isOfWholeRuns;
    std::deque<TableModel> m_tables;
    std::vector<std::size_t> m_places;
    bool m_isAvailable = false;
    bool m_isAsked = false;
    QString m_text;
};

} // namespace trainscope::app
