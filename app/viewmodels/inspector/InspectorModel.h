#pragma once
// Content of the inspector: the statistics of the selection (or of the visible window), the GPU at
// the cursor, and the selected span. Filled by TimelineController. GUI thread.

#include <QQmlEngine>

#include "app/viewmodels/inspector/CursorProbe.h"
#include "app/viewmodels/inspector/KernelFigures.h"
#include "app/viewmodels/inspector/SelectionStatistics.h"
#include "app/viewmodels/inspector/SpanLookup.h"
#include "app/viewmodels/workspace/TableModel.h"

namespace trainscope::app {

class InspectorModel : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("Comes from the timeline.")
    Q_PROPERTY(QString selectionTitle READ selectionTitle NOTIFY selectionChanged FINAL)
    Q_PROPERTY(QString windowText READ windowText NOTIFY selectionChanged FINAL)
    Q_PROPERTY(trainscope::app::FactListModel* selection READ selection CONSTANT FINAL)
    // Readings that changed in the stretch, and, folded, those that did not: "18 readings stayed
    // constant".
    Q_PROPERTY(trainscope::app::FactListModel* telemetry READ telemetry CONSTANT FINAL)
    Q_PROPERTY(trainscope::app::FactListModel* constants READ constants CONSTANT FINAL)
    Q_PROPERTY(QString constantsText READ constantsText NOTIFY selectionChanged FINAL)
    Q_PROPERTY(trainscope::app::TableModel* gpus READ gpus CONSTANT FINAL)
    Q_PROPERTY(trainscope::app::KernelFigures* kernels READ kernels CONSTANT FINAL)
    Q_PROPERTY(QVariantList asked READ asked CONSTANT FINAL) // each an AskedTables
    Q_PROPERTY(trainscope::app::AskedTables* whatIf READ whatIf CONSTANT FINAL)
    Q_PROPERTY(bool computing READ isComputing NOTIFY selectionChanged FINAL)
    Q_PROPERTY(QString errorText READ errorText NOTIFY selectionChanged FINAL)
    Q_PROPERTY(QString engineText READ engineText NOTIFY selectionChanged FINAL)
    Q_PROPERTY(QString cursorTitle READ cursorTitle NOTIFY cursorChanged FINAL)
    Q_PROPERTY(trainscope::app::FactListModel* cursor READ cursor CONSTANT FINAL)
    Q_PROPERTY(QString spanTitle READ spanTitle NOTIFY spanChanged FINAL) // empty: none is shown
    Q_PROPERTY(trainscope::app::FactListModel* span READ span CONSTANT FINAL)

public:
    explicit InspectorModel(QObject* parent = nullptr);

    [[nodiscard]] const QString& selectionTitle() const { return m_selectionTitle; }
    [[nodiscard]] const QString& windowText() const { return m_windowText; }
    [[nodiscard]] FactListModel* selection() { return &m_selection; }
    [[nodiscard]] FactListModel* telemetry() { return &m_telemetry; }
    [[nodiscard]] FactListModel* constants() { return &m_constants; }
    [[nodiscard]] const QString& constantsText() const { return m_constantsText; }
    [[nodiscard]] TableModel* gpus() { return &m_gpus; }
    [[nodiscard]] KernelFigures* kernels() { return &m_kernels; }
    [[nodiscard]] AskedTables* memory() { return &m_memory; }
    [[nodiscard]] AskedTables* whatIf() { return &m_whatIf; }
    [[nodiscard]] QVariantList asked() {
        return {QVariant::fromValue(m_kernels.above()), QVariant::fromValue(m_kernels.energy()),
            QVariant::fromValue(&m_memory)};
    }
    [[nodiscard]] bool isComputing() const { return m_computing; }
    [[nodiscard]] const QString& errorText() const { return m_error; }
    // State of an engine whose answers the statistics of linked runs wait for.
    [[nodiscard]] const QString& engineText() const { return m_engineText; }
    [[nodiscard]] const QString& cursorTitle() const { return m_cursorTitle; }
    [[nodiscard]] FactListModel* cursor() { return &m_cursor; }
    [[nodiscard]] bool hasSpan() const { return m_shownSpan.has_value(); }
    [[nodiscard]] QString spanTitle() const { return m_shownSpan ? m_shownSpan->title : QString(); }
    [[nodiscard]] QString spanName() const;
    [[nodiscard]] const std::optional<SpanReport>& shownSpan() const { return m_shownSpan; }
    [[nodiscard]] FactListModel* span() { return &m_span; }

    // All that is shown, as tab-separated text on the clipboard, the tables with all their rows.
    Q_INVOKABLE void copy() const;
    [[nodiscard]] QString text() const;

    // "Selection · 12.3 s"; and the same behind heads, "over the selected 12.3 s".
    void startStatistics(const QString& title, const QString& window);
    void showStatistics(const Result<std::vector<RunStatistics>>& statistics);
    void showCursor(const ProbeResult& probe);
    void clearCursor();
    void showSpan(const std::optional<SpanReport>& report);
    void clear();

Q_SIGNALS:
    void selectionChanged();
    void cursorChanged();
    void spanChanged();

private:
    QString m_selectionTitle;
    QString m_windowText;
    FactListModel m_selection;
    FactListModel m_telemetry;
    FactListModel m_constants;
    QString m_constantsText;
    TableModel m_gpus;
    KernelFigures m_kernels;
    AskedTables m_memory;
    AskedTables m_whatIf;
    bool m_computing = false;
    QString m_error;
    QString m_engineText;
    QString m_cursorTitle;
    FactListModel m_cursor;
    std::optional<SpanReport> m_shownSpan;
    FactListModel m_span;
};

} // namespace trainscope::app
