#pragma once
#include "core/model/Time.h"
#include <string>
namespace trainscope {
struct Capture {
    std::string name;
    int rank = 0;
    TimeRange range;
};
}
