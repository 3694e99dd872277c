#!/bin/sh
# guide-pictures.sh BUILD [FOLDER] — draws the pictures of the guide in docs/guide/pictures, or in FOLDER.
# Needs the public exports ($HYB_SHARED, else ../shared), and ImageMagick to make the files small.  Measures a model.
# The guide's pictures of the window are those of docs/window.md: tools/window-pictures.sh makes them.
# SPDX-License-Identifier: LGPL-2.1-or-later
set -e
root=$(cd "$(dirname "$0")/.." && pwd)
build=$(cd "$1" && pwd)
mkdir -p "${2:-$root/docs/guide/pictures}"
folder=$(cd "${2:-$root/docs/guide/pictures}" && pwd)
export_file=${HYB_SHARED:-$root/../shared}/models/multi-model-server/lstm_ptb-symbol.json
hscope=$build/app/hscope
HYB_GALLERY=$build/resources/gallery
export HYB_GALLERY
tests=$root/tests
# shellcheck source=tests/temporary-folder.sh
. "$tests/temporary-folder.sh"
cp "$export_file" "$work/ptb-as-is-symbol.json"
cd "$work"

# draw NAME MODEL [OPTION…]
draw () {
  name=$1 model=$2; shift 2
  "$hscope" render "$model" --output "$folder/$name.png" "$@"
}

for form in unrolled foreach; do
  "$hscope" convert ptb-as-is-symbol.json --to $form --length 5 --output ptb-$form
done
draw fused ptb-as-is-symbol.json --shape data=5,1 --shape softmax_label=1,5
draw ptb-unrolled ptb-unrolled-symbol.json --shape data=5,1 --shape softmax_label=1,5
draw foreach ptb-foreach-symbol.json --shape data=5,1 --shape softmax_label=1,5

for file in torchscript cell while mx2onnx; do
  draw exporter-$file "$root/tests/data/exporters/$file.onnx"
done

draw lenet gallery:lenet
draw loop gallery:foreach-rnn
"$hscope" profile 'gallery:lstm-unrolled?length=6' --threads 1 --capture net.hscope >/dev/null
draw unrolled 'gallery:lstm-unrolled?length=6'
draw coloured 'gallery:lstm-unrolled?length=6' --overlay net.hscope

if command -v convert >/dev/null; then
  for picture in "$folder"/*.png; do
    convert "$picture" -strip +dither -colors 96 "png8:$picture"
  done
fi
