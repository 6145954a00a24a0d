import Trainscope
import Trainscope.App

// One of the styles that a lane of samples can have.
UiMenuItem {
    id: item

    required property TimelineController controller
    required property LaneHead lane
    required property int style

    text: item.lane ? item.controller.lanes.styleText(item.lane.index, item.style) : ""
    enabled: item.lane ? item.lane.hasStyles : false
    choice: true
    checked: item.lane ? item.lane.laneStyle === item.style : false
    onTriggered: item.controller.lanes.setStyle(item.lane.index, item.style)
}
