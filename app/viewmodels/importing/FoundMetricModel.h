#pragma once
// The metrics that an engine has for a selection, and what each is here: recognised, left out, or
// as the user says. Editing makes the lines of a mapping. GUI thread.

#include "app/viewmodels/window/RowListModel.h"
#include "importers/engine/Catalogue.h"
#include "importers/engine/Mapping.h"

#include <QQmlEngine>
#include <QString>

namespace trainscope::app {

struct FoundMetricRow {
    QString engineName;
    QString metric; // ours; empty: not imported
    QString proposed; // its metric without the user's choice
    QString seriesText; // "16 series of GPUs"
    // SI value = exposed value × scale, and of what: they stay under another name of ours.
    double scale = 1.0;
    SubjectKind subject = SubjectKind::Gpu;

    bool operator==(const FoundMetricRow&) const = default;
};

class FoundMetricModel : public RowListModel<FoundMetricRow> {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("Belongs to the connection")
    Q_PROPERTY(int count READ count NOTIFY countChanged FINAL)

public:
    explicit FoundMetricModel(QObject* parent = nullptr);

    void setCatalogue(
        const importers::engine::Catalogue& catalogue, const importers::engine::Mapping& mapping);
    // An empty name: not imported.
    Q_INVOKABLE void setMetric(int row, const QString& name);
    // Adds the edits to `mapping`.
    [[nodiscard]] importers::engine::Mapping edited(importers::engine::Mapping mapping) const;
};

} // namespace trainscope::app
