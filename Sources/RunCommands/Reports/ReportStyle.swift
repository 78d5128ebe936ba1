/// The frame and the style sheet of reports: light and dark, system fonts, readable on a phone and on paper.
enum ReportStyle {
  /// A page of its own. Its policy allows only the style below, and pictures within the file.
  static func page(_ title: String, _ main: Markup) -> Markup {
    """
    <!doctype html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width">
    <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
    <title>Pushpit: \(title)</title>
    <link rel="icon" href="data:,">
    <style>
    \(sheet)
    </style>
    </head>
    <body>
    <main>
    \(main)</main>
    </body>
    </html>

    """
  }

  static let sheet: Markup = """
    :root{color-scheme:light dark;--ground:#f4f5f7;--paper:#fff;--ink:#16181d;--soft:#4d5563;--rule:#d5d9e0;
    --good:#0b4a22;--good-ground:#d7f2df;--bad:#7a1410;--bad-ground:#fde0dd;--accent:#0b57d0;
    --accepted:#1f8a4c;--throttled:#d89614;--refused:#8a5cc7;--failed:#c2413a;--unanswered:#5b6472;
    --first:#0b57d0;--second:#1f8a4c;--third:#b3530a;--band:#c2413a;--shade:rgb(20 24 32/.22);\
    font:15px/1.45 system-ui,sans-serif}
    @media (prefers-color-scheme:dark){:root{--ground:#101317;--paper:#191d23;--ink:#e8eaee;--soft:#a9b1bd;\
    --rule:#333a44;
    --good:#a5e8bb;--good-ground:#123d22;--bad:#ffb4ab;--bad-ground:#4c1512;--accent:#8ab4ff;
    --accepted:#3fbf74;--throttled:#e0a93a;--refused:#a985dd;--failed:#e06a61;--unanswered:#8b95a3;
    --first:#8ab4ff;--second:#3fbf74;--third:#f0a35e;--band:#e06a61;--shade:rgb(0 0 0/.6)}}
    *{box-sizing:border-box}
    body{margin:0;background:var(--ground);color:var(--ink)}
    main{max-width:1100px;margin:0 auto;padding:1.2rem}
    h1{font-size:1.4rem;margin:.2rem 0 .6rem;overflow-wrap:anywhere}
    h2{font-size:1.05rem;margin:0 0 .6rem}
    h3{font-size:.95rem;margin:1rem 0 .3rem}
    p{margin:0 0 .6rem;max-width:70ch;overflow-wrap:anywhere}
    section{background:var(--paper);border:1px solid var(--rule);border-radius:.8rem;padding:1rem 1.1rem;margin:0 0 \
    1rem;
    min-width:0}
    section>:last-child{margin-bottom:0}
    .soft,.note{color:var(--soft)}
    .tiles{display:grid;grid-auto-flow:column;grid-auto-columns:minmax(0,1fr);gap:.8rem;margin:0 0 1rem}
    .tile{background:var(--paper);border:1px solid var(--rule);border-radius:.8rem;padding:.7rem .9rem}
    .tile b{display:block;font-size:1.3rem;font-variant-numeric:tabular-nums}
    .tile span{color:var(--soft);font-size:.87rem}
    .mark{display:inline-block;padding:0 .5rem;border-radius:.5rem;font-weight:600;line-height:1.6rem}
    .good{color:var(--good);background:var(--good-ground)}
    .bad{color:var(--bad);background:var(--bad-ground)}
    .warning{border-color:var(--bad);white-space:pre-line}
    .wide{overflow-x:auto;background:linear-gradient(90deg,var(--paper) 40%,transparent) 0 0/3rem 100% local,
    linear-gradient(270deg,var(--paper) 40%,transparent) 100% 0/3rem 100% local,
    linear-gradient(90deg,var(--shade),transparent) 0 0/1rem 100% scroll,
    linear-gradient(270deg,var(--shade),transparent) 100% 0/1rem 100% scroll;background-repeat:no-repeat}
    table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}
    th,td{text-align:left;padding:.28rem .7rem .28rem 0;border-bottom:1px solid var(--rule);vertical-align:top}
    th{color:var(--soft);font-weight:600;font-size:.87rem}
    tr:last-child td{border-bottom:0}
    td.n,th.n{text-align:right;white-space:nowrap;padding-right:1rem}
    td.name{overflow-wrap:anywhere;min-width:12rem}
    dl{display:grid;grid-template-columns:max-content 1fr;gap:.2rem 1rem;margin:0}
    dl.details{margin:.3rem 0 .4rem;grid-template-columns:max-content minmax(0,1fr);gap:.1rem 1rem}
    .details span{display:block;font:13px/1.5 ui-monospace,monospace}
    dt{color:var(--soft)}
    dd{margin:0;overflow-wrap:anywhere}
    svg{display:block;width:100%;height:auto;overflow:visible}
    svg text{fill:var(--soft);font-size:12px;font-family:inherit}
    svg .grid{stroke:var(--rule);stroke-width:1}
    svg .line{fill:none;stroke-width:2;vector-effect:non-scaling-stroke}
    svg .area{fill:var(--first);opacity:.25}
    svg .band{fill:var(--band);opacity:.16}
    .legend{display:flex;flex-wrap:wrap;gap:.2rem 1.1rem;list-style:none;margin:.4rem 0 .8rem;padding:0;
    color:var(--soft);font-size:.87rem;overflow-wrap:anywhere}
    .legend i{display:inline-block;width:.8rem;height:.8rem;border-radius:.2rem;margin-right:.4rem;\
    vertical-align:-.08rem}
    details{margin-top:.6rem}
    summary{cursor:pointer;color:var(--accent)}
    ul.plain{list-style:none;margin:0;padding:0}
    footer{color:var(--soft);font-size:.87rem}
    @media (max-width:40rem){svg{min-width:38rem}main{padding:.7rem}dl:not(.details){grid-template-columns:1fr}\
    .tiles{grid-auto-flow:row;grid-template-columns:1fr 1fr}\
    dd{margin-bottom:.4rem}}
    @media print{body{background:none}section,.tile{break-inside:avoid}}
    """
}
