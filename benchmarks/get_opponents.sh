#!/bin/sh
# Installs the programs that our players meet in `make arena`, from Debian. What cannot be installed
# is named, and the rest goes on: the exit status is always 0.
#
# fairy-stockfish and mancala are small packages. The package grhino wants a desktop program, so only
# its data, which must be where the package puts them, and its program gtp-rhino are taken.

[ "$(id -u)" = 0 ] && root= || root="sudo -n"

missing() {
    echo "MISSING OPPONENT: $1 could not be installed, so nothing is played against it" >&2
}

have() {
    PATH="$PATH:/usr/games:/usr/local/games" command -v "$1" > /dev/null
}

quietly() {
    $root env DEBIAN_FRONTEND=noninteractive "$@" > /dev/null 2>&1
}

get_rhino() {
    folder=$(mktemp -d) || return 1
    # apt-get reads and writes there as another user.
    chmod 755 "$folder"
    quietly apt-get install -qq -y grhino-data &&
        (cd "$folder" && apt-get download -qq grhino > /dev/null 2>&1) &&
        dpkg -x "$folder"/grhino_*.deb "$folder/unpacked" &&
        quietly install -D -m 755 "$folder/unpacked/usr/games/gtp-rhino" /usr/local/games/gtp-rhino
    status=$?
    rm -rf "$folder"
    return $status
}

have fairy-stockfish && have mancala && have gtp-rhino && exit 0
if command -v apt-get > /dev/null; then
    quietly apt-get update -qq
fi
for program in fairy-stockfish mancala; do
    have $program || quietly apt-get install -qq -y $program || missing $program
done
have gtp-rhino || get_rhino || missing gtp-rhino
exit 0
