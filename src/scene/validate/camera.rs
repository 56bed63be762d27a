//! Cameras: numbers, and a direction to look in.

use super::number::vector;
use crate::error::Result;
use crate::scene::place::Place;
use crate::scene::schema::Camera;

pub(super) fn camera(camera: &Camera, place: &Place<'_>) -> Result<()> {
    for (key, given) in [("eye", &camera.eye), ("target", &camera.target)] {
        vector(given, &place.key(key))?;
    }
    if camera.eye.is_some() && camera.eye == camera.target {
        return Err(place.key("target").error(
            "the camera looks at where it is",
            "expected a target other than the eye",
        ));
    }
    if let Some(field) = camera.field_of_view
        && !(field > 0.0 && field <= 120.0)
    {
        return Err(place.key("field_of_view").error(
            format!("a field of view of {field} degrees"),
            "expected a number above 0, at most 120",
        ));
    }
    Ok(())
}
