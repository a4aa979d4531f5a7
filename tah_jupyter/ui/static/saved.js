// What a frame writes into the notebook when the kernel cannot.

const WIDGET_VIEW = "application/vnd.jupyter.widget-view+json";

/**
 * Change the outputs of the cell that shows the widget `id`: a page that was reloaded while the cell ran does not hear
 * the kernel's last word on its output, and would save a frame that nobody can draw. Only Jupyter's own front ends let
 * a widget see its notebook; elsewhere the frame alone shows it.
 */
export function rewrite(model, id, change) {
  const isFrame = (output) => output.data[WIDGET_VIEW]?.model_id === id;
  const all = (outputs) => Array.from({ length: outputs?.length ?? 0 }, (_, index) => outputs.get(index));
  const cells = [...(model.widget_manager?.context?.model?.cells ?? [])];
  const cell = cells.find((each) => all(each.outputs).some(isFrame));
  if (cell) setTimeout(() => cell.outputs.fromJSON(change(all(cell.outputs), isFrame)));
}
