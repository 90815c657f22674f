// Looks and behaviour of the page. Colours after Okabe and Ito's palette; nothing is told by colour alone.
#include "html_sections.h"

namespace depscope::replay {

std::string_view html_style() {
  return R"css(
:root{color-scheme:light dark;--ground:#fff;--panel:#f5f6f8;--text:#1c2128;--dim:#5b6470;--line:#d5dae1;--link:#0b57a4;
--blue:#0072b2;--orange:#b85c00;--green:#00795a;--violet:#8a3f8f;--teal:#007a87;--grey:#5b6470;--red:#b3261e;
--read-ground:#f6d9b0;--read-mark:#c06a00;--held-ground:#ead6ee;--held-mark:#8a3f8f;--work:#0072b2;--wait:#cfe4f3;
--del:#fbe3e1;--del-mark:#f0a9a3;--ins:#dff3e6;--ins-mark:#94d3ab}
@media (prefers-color-scheme:dark){:root{--ground:#15181d;--panel:#1e2229;--text:#e4e7ec;--dim:#9aa4b2;--line:#39404b;--link:#7fbcff;
--blue:#5cb3f0;--orange:#f0a850;--green:#4cc79a;--violet:#d79ae0;--teal:#5fcbd3;--grey:#a3abb8;--red:#ff8a7a;
--read-ground:#5a4322;--read-mark:#f0a850;--held-ground:#46324b;--held-mark:#d79ae0;--work:#3f94cf;--wait:#23394a;
--del:#3d2323;--del-mark:#7a3a36;--ins:#1c3427;--ins-mark:#2f6b48}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;scroll-behavior:auto}
body{margin:0;background:var(--ground);color:var(--text);font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans","DejaVu Sans",sans-serif;overflow-wrap:anywhere}
header,main,footer{max-width:1240px;margin:0 auto;padding:0 16px}
header{padding-top:16px}
h1{font-size:1.5rem;line-height:1.25;margin:0 0 8px}
h2{font-size:1.25rem;margin:32px 0 8px;padding-bottom:4px;border-bottom:2px solid var(--line)}
h3{font-size:1rem;margin:20px 0 6px}
section{scroll-margin-top:8px}
nav{display:flex;flex-wrap:wrap;gap:4px 16px}
a{color:var(--link)}
code,pre,.code,.arg{font-family:ui-monospace,"Cascadia Mono","SF Mono",Menlo,Consolas,"DejaVu Sans Mono",monospace;font-size:.92em}
i{font-style:normal}
small,.dim,.more,.empty{color:var(--dim)}
small{font-size:.86em;font-weight:normal}
.empty{padding:8px 12px;border:1px dashed var(--line);border-radius:6px}
.more{margin:6px 0;font-size:.93em}
.good{color:var(--green)}
.tiles{display:flex;flex-wrap:wrap;gap:8px;margin:12px 0}
.tile{padding:6px 14px;border:1px solid var(--line);border-radius:8px;background:var(--panel)}
.tile b{font-size:1.25rem}
.options{list-style:none;padding:0;margin:4px 0;display:flex;flex-wrap:wrap;gap:6px}
.options li{padding:1px 8px;border:1px solid var(--line);border-radius:6px;background:var(--panel)}
.columns{display:flex;flex-wrap:wrap;gap:0 32px;align-items:flex-start}
.columns>div{min-width:0;max-width:100%}
.box{overflow-x:auto;width:fit-content;max-width:100%;border:1px solid var(--line);border-radius:6px}
.box:focus-visible,.code:focus-visible{outline:2px solid var(--link)}
table{border-collapse:collapse;font-size:.92rem}
.picture{width:100%}
th,td{padding:3px 8px;text-align:left;vertical-align:top;border-bottom:1px solid var(--line);white-space:nowrap;overflow-wrap:normal}
th{background:var(--panel);font-weight:600}
tbody tr:last-child td{border-bottom:0}
tbody tr:nth-child(even){background:color-mix(in srgb,var(--panel) 55%,transparent)}
tr:target,li:target>.region,.l:target{outline:2px solid var(--orange);outline-offset:-2px}
.n{text-align:right;font-variant-numeric:tabular-nums}
td.wrap{white-space:normal;min-width:22em}td.names{min-width:12em}
.filter{display:flex;gap:8px;align-items:center;margin:6px 0;flex-wrap:wrap}
.filter input{font:inherit;color:inherit;background:var(--ground);border:1px solid var(--dim);border-radius:6px;padding:3px 8px;width:min(24em,100%)}
.tag,.flag,.sev,.state{display:inline-block;padding:0 7px;border:1px solid currentColor;border-radius:9px;font-size:.9em;line-height:1.45;white-space:nowrap}
.tag i,.sev i,.state i{margin-right:4px}
.user{color:var(--blue)}.compiler{color:var(--orange)}.fence{color:var(--violet)}.creator{color:var(--green)}.tensormap{color:var(--teal)}.explicit{color:var(--grey)}
.flag{border-radius:3px;color:var(--dim)}.wait{color:var(--blue)}.retain{color:var(--violet);border-style:dashed}
.flag:has(del){opacity:.75}
.sev{font-weight:600}.sev.error,.state.bad{color:var(--red)}.sev.warning{color:var(--orange)}.sev.info{color:var(--blue)}
.state.good{color:var(--green)}.state.plain{color:var(--dim)}
.changed{color:var(--orange)}
.finding{border:1px solid var(--line);border-left-width:5px;border-radius:6px;padding:8px 14px;margin:10px 0}
.finding.error{border-left-color:var(--red)}.finding.warning{border-left-color:var(--orange)}
.finding h3,.finding p{margin:0 0 4px}
dl{display:grid;grid-template-columns:max-content 1fr;gap:2px 14px;margin:6px 0}
dt{color:var(--dim)}dd{margin:0;min-width:0}dd ol{margin:0;padding-left:1.4em}
details{margin:8px 0}summary{cursor:pointer;padding:2px 0}
pre{white-space:pre-wrap;margin:4px 0;padding:8px;background:var(--panel);border-radius:6px}
.piece>summary{font-weight:600}
.code{overflow-x:auto;border:1px solid var(--line);border-radius:6px;background:var(--panel);line-height:1.45;padding:4px 0;overflow-wrap:normal}
.l{white-space:pre-wrap;overflow-wrap:anywhere;padding:0 12px 0 5em;text-indent:-5em;tab-size:4}
.m,.no{display:inline-block;text-indent:0;width:2em;text-align:center;color:var(--dim);user-select:none}
.no{width:4em;text-align:right;padding-right:1em}
.l.del{background:var(--del)}.l.ins{background:var(--ins)}
.l del{background:var(--del-mark);text-decoration:none;border-radius:2px}.l ins{background:var(--ins-mark);text-decoration:none;border-radius:2px}
.fold{margin:0}.fold summary{color:var(--dim);padding:1px 12px;font-family:inherit}
.fold[open]{border-block:1px dotted var(--line)}
.tree,.tree ul{list-style:none;margin:0;padding:0}
.tree ul{padding-left:22px;margin-left:10px;border-left:1px solid var(--line)}
.region{padding:6px 10px;margin:4px 0;border:1px solid var(--line);border-radius:6px;background:var(--panel)}
.legend{list-style:none;padding:0;margin:8px 0;display:flex;flex-direction:column;gap:2px;font-size:.93em}
.legend svg{vertical-align:-2px}
.picture svg{display:block;width:100%;min-width:900px;height:auto;background:var(--ground)}
.picture text{font:11px ui-monospace,"DejaVu Sans Mono",Menlo,Consolas,monospace;fill:var(--text)}
.axis line{stroke:var(--line);stroke-width:1}.axis text{text-anchor:middle;fill:var(--dim)}.picture text.label{text-anchor:start}
.picture text.open{font-size:12px;fill:var(--red)}.open-end{color:var(--red);padding:0 9px}
.hit{fill:transparent}.life:hover .hit{fill:var(--panel)}
.s-wait{fill:var(--wait);stroke:var(--work);stroke-width:.7}.s-work{fill:var(--work)}.s-read{fill:url(#p-read);stroke:var(--read-mark);stroke-width:.7}.s-held{fill:url(#p-held);stroke:var(--held-mark);stroke-width:.7}
.s-idle{fill:none;stroke:var(--dim);stroke-width:1}
.read-ground{fill:var(--read-ground)}.read-mark{fill:var(--read-mark)}.held-ground{fill:var(--held-ground)}.held-mark{fill:var(--held-mark)}
.scope-auto{fill:var(--dim)}.scope-manual{fill:none;stroke:var(--orange);stroke-width:1.5}
footer{color:var(--dim);font-size:.9em;padding:28px 16px 20px}
@media (max-width:640px){body{font-size:14px}.l{white-space:pre;width:max-content;min-width:100%;padding-left:0;text-indent:0}.no{width:3em;padding-right:.6em}.code{font-size:.82em}header,main,footer{padding-left:10px;padding-right:10px}dl{grid-template-columns:1fr}dt{margin-top:4px}.tree ul{padding-left:8px;margin-left:4px}}
@media print{body{font-size:10pt;background:#fff}header,main,footer{max-width:none;padding:0}.filter,nav{display:none}.box,.code{overflow:visible;border:0}
.box{max-width:none}table{font-size:8pt}td,th{white-space:normal;padding:2px 5px}td.wrap{min-width:0}.finding,.region,tr{break-inside:avoid}
.picture svg{min-width:0}a{color:inherit;text-decoration:none}}
)css";
}

std::string_view html_script() {
  return R"js(
"use strict";
for (const table of document.querySelectorAll("table[data-filter]")) {
  const rows = [...table.tBodies[0].rows];
  const line = document.createElement("div");
  const input = document.createElement("input");
  const count = document.createElement("span");
  line.className = "filter";
  input.type = "search";
  input.placeholder = "Filter: words that a row must have";
  input.setAttribute("aria-label", "Filter " + table.dataset.filter);
  count.className = "dim";
  count.setAttribute("aria-live", "polite");
  const apply = () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const row of rows) {
      const text = row.textContent.toLowerCase();
      row.hidden = !words.every((word) => text.includes(word));
      shown += row.hidden ? 0 : 1;
    }
    count.textContent = words.length ? shown + " of " + rows.length + " rows" : rows.length + " rows";
  };
  input.addEventListener("input", apply);
  table.addEventListener("depscope-show", () => { input.value = ""; apply(); });
  line.append(input, count);
  table.parentElement.before(line);
  apply();
}
const show = () => {
  const target = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!target) return;
  if (target.hidden) target.closest("table").dispatchEvent(new Event("depscope-show"));
  for (let at = target.closest("details"); at; at = at.parentElement.closest("details")) at.open = true;
  target.scrollIntoView({block: "center", inline: "nearest"});
};
addEventListener("hashchange", show);
addEventListener("beforeprint", () => {
  for (const details of document.querySelectorAll("details")) details.open = true;
});
show();
)js";
}

}  // namespace depscope::replay
