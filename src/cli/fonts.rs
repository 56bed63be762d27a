//! The font of words on pictures and plots.

use plotters::style::{FontStyle, register_font};
use std::sync::Once;

/// Makes the font `sans-serif` known to the drawing library, once.
pub(crate) fn register() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // A font that cannot be read would be noticed by every drawing that uses it.
        let _ = register_font(
            "sans-serif",
            FontStyle::Normal,
            epaint_default_fonts::UBUNTU_LIGHT,
        );
    });
}
