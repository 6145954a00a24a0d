# shellcheck shell=bash disable=SC2154
# Part of check-package.sh: the package beside a desktop's programs, under X11 and under Wayland.

say "fonts of a figure"
in_home 'pdffonts figure.pdf' | tee "$result/fonts.txt"
grep -q 'Inter.* yes' "$result/fonts.txt" || failed "the figure does not embed Inter"

say "pages of the manual, completions"
for page in "1 trainscope" "1 trainscope-cli" "7 trainscope-numbers"; do
  # shellcheck disable=SC2086
  [ "$(inside man --warnings -P cat $page 2>&1 | wc -l)" -gt 30 ] || failed "man $page is not there"
done
[ -z "$(inside sh -c 'for f in /usr/share/man/man?/trainscope*; do man --warnings -l -P cat $f 2>&1 >/dev/null; done')" ] ||
  failed "man has warnings"
inside bash -c 'source /usr/share/bash-completion/bash_completion; _completion_loader trainscope-cli; complete -p trainscope-cli'
for place in zsh/vendor-completions/_trainscope-cli fish/vendor_completions.d/trainscope-cli.fish; do
  [ -e "$root/usr/share/$place" ] || failed "$place is missing"
done

[ -x "$root/usr/share/doc/trainscope/examples/slurm/record.sh" ] || failed "the scripts for Slurm are missing"
[ -e "$root/usr/share/trainscope/skills/trainscope/SKILL.md" ] || failed "the skill for agents is missing"

say "the desktop"
inside desktop-file-validate /usr/share/applications/org.trainscope.Trainscope.desktop
inside sh -c 'dpkg-deb -x /tmp/package.deb /tmp/tree && appstreamcli validate-tree --no-net /tmp/tree' >"$result/appstream.txt" || { cat "$result/appstream.txt"; failed "appstreamcli"; }
type=$(in_home 'xdg-mime query filetype job.trainscope')
[ "$type" = application/x-trainscope ] || failed "the type of job.trainscope is $type"
type=$(in_home 'cp job.trainscope nameless && gio info -a standard::content-type nameless' | sed -n 's/.*content-type: //p')
[ "$type" = application/x-trainscope ] || failed "without its name the type is $type"
[ "$(in_home 'xdg-mime query default application/x-trainscope')" = org.trainscope.Trainscope.desktop ] ||
  failed "nothing opens the type"
for size in 16 24 32 48 64 128 256 512; do
  for icon in apps/org.trainscope.Trainscope mimetypes/application-x-trainscope; do
    [ "$(inside identify -format %wx%h "/usr/share/icons/hicolor/${size}x$size/$icon.png")" = "${size}x$size" ] || failed "icon $icon $size"
  done
done

# A picture with many colours is a window that has drawn itself.
drawn() { # PICTURE
  local colours
  cp "$home/$1" "$result"
  colours=$(in_home "identify -format %k $1")
  echo "$1: $(in_home "identify -format %wx%h $1"), $colours colours"
  [ "$colours" -gt 200 ] || failed "$1 shows no window"
}
# ended NAME: the program of `run` wrote its status; 0 is a window that was closed, not killed.
ended() {
  wait_for 15 "end of the window ($1)" test -s "$home/$1.status"
  [ "$(cat "$home/$1.status")" = 0 ] || { cat "$result/$1.log" >&2; failed "the window ended with $(cat "$home/$1.status") ($1)"; }
  [ ! -s "$result/$1.log" ] || { echo "it said:"; cat "$result/$1.log"; }
}

say "a window under X11"
x11() { in_home "export DISPLAY=:77; $1"; }
as_user Xvfb :77 -screen 0 1600x900x24 -nolisten tcp -noreset >"$result/xvfb.log" 2>&1 &
wait_for 20 "display" inside test -e /tmp/.X11-unix/X77
x11 'exec openbox' >"$result/openbox.log" 2>&1 &
x11 'trainscope job.trainscope; echo $? >x11.status' >"$result/x11.log" 2>&1 &
wait_for 60 "window under X11" x11 'wmctrl -lx | grep -i trainscope'
sleep 5
x11 'wmctrl -lx; xwd -root -silent | convert xwd:- x11.png'
drawn x11.png
[ ! -e "$home/x11.status" ] || failed "the window did not stay"
x11 'wmctrl -x -c trainscope'
ended x11
stop_inside

say "a window under Wayland"
cat >"$home/sway.conf" <<'CONFIG'
output HEADLESS-1 resolution 1600x900
xwayland disable
CONFIG
as_user env WLR_BACKENDS=headless WLR_RENDERER=pixman WLR_LIBINPUT_NO_DEVICES=1 sway -c /home/tester/sway.conf >"$result/sway.log" 2>&1 &
wait_for 20 "compositor" test -S "$root/run/tester/wayland-1"
socket=$(cd "$root/run/tester" && echo sway-ipc.*.sock)
wayland() { in_home "export SWAYSOCK=/run/tester/$socket WAYLAND_DISPLAY=wayland-1; $1"; }
wayland 'trainscope job.trainscope; echo $? >wayland.status' >"$result/wayland.log" 2>&1 &
shown() {
  wayland "swaymsg -t get_tree | jq -e '.. | objects | select(.app_id? == \"org.trainscope.Trainscope\" and .shell? == \"xdg_shell\")'"
}
wait_for 60 "window under Wayland" shown
sleep 5
wayland 'grim wayland.png'
drawn wayland.png
[ ! -e "$home/wayland.status" ] || failed "the window did not stay"
wayland "swaymsg '[app_id=\"org.trainscope.Trainscope\"] kill'" >/dev/null
ended wayland
stop_inside
