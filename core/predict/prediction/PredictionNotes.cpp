#include "core/predict/prediction/PredictionNotes.h"

#include "core/text/Numbers.h"

#include <algorithm>

namespace trainscope::predict {

std::map<std::string, std::string> notesOf(const Prediction& prediction) {
    std::map<std::string, std::string> notes;
    for (const PredictedFigure& figure : figuresOf(prediction)) {
        std::string key(figure.key);
        std::replace(key.begin(), key.end(), '_', ' ');
        notes[key] = text::withInterval(
            figure.value, figure.interval.low, figure.interval.high, figure.unit);
    }
    if (!prediction.power.source.empty())
        notes["power and heat from"] = prediction.power.source;
    return notes;
}

} // namespace trainscope::predict
