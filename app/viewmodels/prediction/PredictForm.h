#pragma once
// The form that asks for a prediction: what is in its fields, which of them cannot be, and the
// request that they make. GUI thread.

#include <QJsonObject>
#include <QQmlEngine>

#include "app/viewmodels/prediction/PredictFields.h"
#include "core/predict/prediction/RunRequest.h"

namespace trainscope::app {

class PredictForm : public FormModel {
    Q_OBJECT
    QML_ANONYMOUS

public:
    explicit PredictForm(QObject* parent = nullptr);

    // Takes a job that was made; what no field tells stays as it is there. The fields of what is
    // not known stay empty.
    void begin(
        const predict::JobRequest& request, const std::vector<predict::JobFact>& unknown = {});
    // The same for its layout, micro-batch and recomputation alone.
    void takeLayout(const predict::JobRequest& request);

    Q_INVOKABLE void set(const QString& key, const QString& typed);
    Q_INVOKABLE void slide(const QString& key, double place);
    // The next higher or lower number: doubles or halves.
    Q_INVOKABLE void step(const QString& key, bool isUp);

    // Absent while a field of the job cannot be read.
    [[nodiscard]] const std::optional<predict::JobRequest>& request() const { return m_request; }
    // The same where nothing but the layout is missing, for a search.
    [[nodiscard]] const std::optional<predict::JobRequest>& sought() const { return m_sought; }
    // Cluster that the form's is compared with; absent: none.
    [[nodiscard]] const std::optional<predict::ClusterRequest>& against() const {
        return m_against;
    }
    // Tokens to train on; of what cannot be read nothing is asked.
    [[nodiscard]] const predict::TrainingAsked& training() const { return m_training; }
    // Another number for each job that the form began with: no field tells all of it.
    [[nodiscard]] int beginning() const { return m_beginning; }
    // Shows the answer to a request that failed, beside the field of the job that was changed last.
    void showFault(const QString& fault);
    [[nodiscard]] QString fault() const; // the first there is

    [[nodiscard]] QJsonObject encoded() const;
    void restore(const QJsonObject& saved);

Q_SIGNALS:
    void edited();
    void missed(int row); // the first field of what is not known

private:
    void take(FormFields fields); // and read the request from them
    [[nodiscard]] FormFields fieldsOf(const predict::JobRequest& request) const;
    [[nodiscard]] FormFields forWorkload(FormFields fields) const;
    void takeGpu(FormFields& fields, const QString& before) const;
    [[nodiscard]] const catalogue::TrainingModel* modelOf(const QString& name) const;
    void read(FormFields& fields);

    catalogue::ModelCatalogue m_catalogue;
    std::optional<catalogue::TrainingModel> m_ownModel; // a run's model that is in no catalogue
    predict::JobRequest m_begun;
    int m_beginning = 0;
    std::optional<predict::JobRequest> m_request;
    std::optional<predict::JobRequest> m_sought;
    std::optional<predict::ClusterRequest> m_against;
    predict::TrainingAsked m_training;
    QString m_lastKey; // key of the last changed field
};

} // namespace trainscope::app
