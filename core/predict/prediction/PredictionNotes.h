#pragma once
// The figures of a prediction in words, for the notes of its run.

#include "core/predict/prediction/Prediction.h"

#include <map>
#include <string>

namespace trainscope::predict {

// "mean power": "612 W (560 to 663)"; and where constants of power and heat come from.
std::map<std::string, std::string> notesOf(const Prediction& prediction);

} // namespace trainscope::predict
