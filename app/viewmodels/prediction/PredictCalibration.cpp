// The calibration of the prediction's view by the measured runs of the database.
#include "app/viewmodels/prediction/PredictController.h"
#include "app/viewmodels/text/HumanText.h"

#include <utility>

namespace trainscope::app {

void PredictController::setCalibrated(bool calibrated) {
    if (calibrated == m_isCalibrated)
        return;
    m_isCalibrated = calibrated;
    keepSettings();
    if (calibrated) {
        calibrate();
    } else {
        forgetCalibration();
        askAgain();
    }
    Q_EMIT calibrationChanged();
}

void PredictController::forgetCalibration() {
    m_calibrationTask.cancel();
    m_calibration.reset();
    m_calibrationText.clear();
    Q_EMIT calibrationChanged();
}

// Answers go on as shipped until it is there.
void PredictController::calibrate() {
    if (!m_isCalibrated || m_calibration || workspace() == nullptr)
        return;
    m_calibrationText = QStringLiteral("Measured runs are read…");
    m_calibrationTask.ask(
        workspace()->readers(),
        [](const store::Store& store, const TaskStage<predict::RunCalibration>& stage) {
            return predict::calibrationOf(store, stage.progress());
        },
        [this](Result<predict::RunCalibration> found) { takeCalibration(std::move(found)); });
    Q_EMIT calibrationChanged();
}

void PredictController::takeCalibration(Result<predict::RunCalibration> found) {
    if (found.hasValue()) {
        m_calibration = std::make_shared<const predict::RunCalibration>(std::move(found).value());
        m_calibrationText = QString::fromStdString(calibrationWords(*m_calibration));
    } else {
        m_calibrationText = QString::fromStdString(found.error().message);
    }
    askAgain();
    Q_EMIT calibrationChanged();
}

// Results with other constants do not hold any longer.
void PredictController::askAgain() {
    m_search.forget();
    forgetRival();
    ask();
}

} // namespace trainscope::app
