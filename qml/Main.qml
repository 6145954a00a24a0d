import QtQuick

Window {
    visible: true
}
