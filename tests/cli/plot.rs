//! Plots, and the page of a run.

use crate::program::{Home, drop_scene, entries};

/// Every word of an SVG document.
fn words(svg: &str) -> Vec<String> {
    let document = roxmltree::Document::parse(svg).unwrap_or_else(|e| panic!("{e}: {svg:.200}"));
    document
        .descendants()
        .filter(|node| node.has_tag_name("text"))
        .filter_map(|node| Some(node.text()?.trim().to_owned()))
        .collect()
}

fn home_with_run(steps: u32) -> Home {
    let home = Home::new();
    let expect = "\n[[expect]]\nclaim = \"5 < 6 & they land\"\nmeasure = \"contacts\"\nis = \">=\"\nvalue = 1\nwhen = \"once\"\n";
    home.write("drop.toml", &(drop_scene(steps) + expect));
    home.run(&["run", "drop.toml", "--out", "one", "-q"])
        .expect_code(0);
    home
}

#[test]
fn a_run_is_plotted_as_svg_and_png() {
    let home = home_with_run(40);
    let ended = home.run(&["plot", "one"]).expect_code(0);
    assert_eq!(ended.stdout.trim(), "one/plot.svg");
    let found = words(&home.read("one/plot.svg"));
    for word in [
        "Residuals of the velocity and position problems",
        "Energies",
        "Penetration",
        "Time of a step by stage",
        "Positions and heights of probes",
        "bed",
        "time [s]",
        "energy [J]",
    ] {
        assert!(
            found.iter().any(|found| found == word),
            "{word} in {found:?}"
        );
    }
    home.run(&["plot", "one", "--out", "p/one.png"])
        .expect_code(0);
    let file = std::fs::read(home.path("p/one.png")).unwrap();
    let mut reader = png::Decoder::new(std::io::Cursor::new(file))
        .read_info()
        .unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    reader.next_frame(&mut pixels).unwrap();
    // Curves in the first colour, words in ink.
    for ink in [[0x1C, 0x6D, 0xB5], [0x22, 0x26, 0x2B]] {
        let near = |pixel: &&[u8]| pixel.iter().zip(&ink).all(|(a, b)| a.abs_diff(*b) < 24);
        let count = pixels.chunks(3).filter(near).count();
        assert!(count > 200, "{count} pixels of {ink:?}");
    }
}

#[test]
fn probes_are_drawn_with_those_of_their_unit_and_nothing_else_is_a_probe() {
    let home = Home::new();
    let probes = "\n[[probe]]\nname = \"near\"\ntype = \"coordination\"\n\n[[probe]]\nname = \"all\"\ntype = \"momentum\"\n";
    home.write("drop.toml", &(drop_scene(60) + probes));
    home.run(&["run", "drop.toml", "--out", "one", "-q", "--no-picture"])
        .expect_code(0);
    let titles = [
        "Positions and heights of probes",
        "Numbers and shares of probes",
        "Momenta of probes",
    ];
    let check = || {
        home.run(&["plot", "one"]).expect_code(0);
        let found = words(&home.read("one/plot.svg"));
        for word in titles.iter().chain(&["near", "all_pz", "bed"]) {
            assert!(found.iter().any(|found| found == word), "{word}");
        }
        let strangers = ["witness_pairs", "substeps", "Other columns"];
        assert!(!found.iter().any(|word| strangers.contains(&&**word)));
    };
    check();
    // A run that was killed has no summary.
    std::fs::remove_file(home.path("one/summary.json")).unwrap();
    check();
}

#[test]
fn several_runs_are_drawn_over_each_other() {
    let home = home_with_run(20);
    home.run(&["run", "drop.toml", "--seed", "9", "--out", "two", "-q"])
        .expect_code(0);
    let ended = home.run(&["plot", "one", "two"]).expect_code(0);
    assert_eq!(ended.stdout.trim(), "plot.svg");
    let found = words(&home.read("plot.svg"));
    for word in [
        "one",
        "two",
        "one: bed",
        "two: bed",
        "Energies: kinetic and potential",
    ] {
        let has = found.iter().any(|found| found == word);
        // One probe is one curve a run, and needs no name.
        assert!(has || word.contains("bed"), "{word} in {found:?}");
    }
    for (args, says) in [
        (&["plot", "nothing"][..], "nothing"),
        (&["plot", "one", "--out", "x.pdf"], ".svg or .png"),
        (&["plot"], "RUN"),
    ] {
        let ended = home.run(args).expect_code(2);
        assert!(ended.stderr.contains(says), "{}", ended.stderr);
    }
    home.write("one/metrics.csv", "step,time\n1\n");
    let ended = home.run(&["plot", "one"]).expect_code(2);
    assert!(ended.stderr.contains("line 2"), "{}", ended.stderr);
}

#[test]
fn the_page_of_a_run_holds_its_numbers_and_needs_no_other_file() {
    let home = home_with_run(40);
    let page = home.read("one/report.html");
    let json: serde_json::Value = serde_json::from_str(&home.read("one/summary.json")).unwrap();
    assert!(page.starts_with("<!DOCTYPE html>") && page.ends_with("</html>\n"));
    for part in [
        "<h1>drop</h1>",
        "held: 5 &lt; 6 &amp; they land",
        "done: 40 of 40 steps",
        "measure = &quot;contacts&quot;",
        "class=\"pass\"",
    ] {
        assert!(page.contains(part), "{part}");
    }
    let deepest = format!(
        "{:.2e} m at worst",
        json["max_penetration"].as_f64().unwrap()
    );
    assert!(page.contains(&deepest), "{deepest}");
    // Whole drawings, each well formed, and nothing from elsewhere.
    let drawings: Vec<&str> = page
        .match_indices("<svg ")
        .map(|(at, _)| &page[at..at + page[at..].find("</svg>").unwrap() + 6])
        .collect();
    assert!(drawings.len() >= 5, "{}", drawings.len());
    for drawing in &drawings {
        assert!(words(drawing).iter().any(|word| word == "time [s]"));
    }
    for link in ["src=\"http", "href=\"http", "src=\"/", "<script", "<link"] {
        assert!(!page.contains(link), "{link}");
    }
    // Tags close in the order in which they open.
    let mut open = Vec::new();
    for piece in page.split('<').skip(1) {
        let tag = piece.split('>').next().unwrap();
        let name = tag
            .trim_start_matches('/')
            .split([' ', '\n', '/'])
            .next()
            .unwrap();
        if tag.starts_with('/') {
            assert_eq!(open.pop(), Some(name), "{tag}");
        } else if !tag.starts_with('!')
            && !tag.ends_with('/')
            && !["meta", "br", "img"].contains(&name)
        {
            open.push(name);
        }
    }
    assert_eq!(open, [""; 0]);
}

#[test]
fn a_run_without_an_adapter_says_why_it_has_no_picture() {
    let home = Home::with_drop_scene();
    let ended = home
        .run(&["run", "drop.toml", "--out", "run"])
        .expect_code(0);
    assert!(ended.stderr.contains("no picture: "), "{}", ended.stderr);
    assert!(!entries(&home.path("run")).contains(&"picture.png".to_owned()));
    assert!(
        ended
            .stdout
            .contains("look at run/report.html; next, try: drystone "),
        "{}",
        ended.stdout
    );
    let ended = home
        .run(&["run", "drop.toml", "--out", "bare", "--no-picture"])
        .expect_code(0);
    assert!(!ended.stderr.contains("picture"), "{}", ended.stderr);
}
