//! What each scheme asks of a row.

use drystone::internals::stabilize::{Prescribed, RowState, Sweeps};
use drystone::problem::bias::Meeting;
use drystone::stabilize::{Baumgarte, Scheme, Stabilization};
use drystone::step::Settings;

const ROW: RowState = RowState {
    velocity: -0.3,
    drift: 0.7,
    h: 0.01,
    sweeps: Sweeps {
        count: 1,
        split: 1.0,
    },
    fastest: 0.1,
};

/// The acceleration form with `alpha = 1/(2h)` and `beta^2 = kappa/h`: it forgets the velocity.
fn forgetful(kappa: f64) -> Scheme {
    Scheme::Baumgarte(Baumgarte::Acceleration {
        alpha: 0.5 / ROW.h,
        beta: (kappa / ROW.h).sqrt(),
    })
}

#[test]
fn schemes_ask_what_they_say() {
    let kappa = Scheme::Baumgarte(Baumgarte::Velocity { kappa: 20.0 });
    let oscillator = Scheme::Baumgarte(Baumgarte::oscillator(30.0, 0.5));
    let gamma = Scheme::Gamma { gamma: 0.25 };
    // (scheme, bias of an error of 2 mm, of a gap of -2 mm, of a velocity from 1 to 1.1 m/s at 9 m/s^2)
    let prescribed = Prescribed {
        now: 1.0,
        derivative: 9.0,
        next: 1.1,
        integral: 2e-3,
    };
    // (1/h - 2 alpha) J V turned over, drift and beta^2 g, each times h.
    let oscillation = 0.01 * (0.7 + 900.0 * 2e-3) + (1.0 - 2.0 * 15.0 * 0.01) * 0.3;
    let shut = 0.01 * (0.7 - 900.0 * 2e-3) + (1.0 - 2.0 * 15.0 * 0.01) * 0.3;
    // The same, with the integral in place of g.
    let following = 0.3 + 0.01 * (0.7 - 9.0 + 2.0 * 15.0 * (-0.3 - 1.0) + 900.0 * 2e-3);
    for (scheme, error, gap, velocity) in [
        (Scheme::None, 0.0, 0.0, -1.1),
        (Scheme::Post, 0.0, 0.0, -1.1),
        (kappa, 0.04, -0.04, -1.1),
        (oscillator, oscillation, shut, following),
        (Scheme::Implicit, 0.2, -0.2, -1.1 + 0.007),
        (gamma, 0.05, -0.05, -1.1),
    ] {
        let near = |measured: f64, expected: f64| (measured - expected).abs() < 1e-12;
        assert!(near(scheme.equality(2e-3, &ROW), error), "{scheme:?}");
        assert!(near(scheme.gap(-2e-3, &ROW), gap), "{scheme:?}");
        assert!(
            near(scheme.velocity(&prescribed, &ROW), velocity),
            "{scheme:?}"
        );
        // Whatever the scheme, an open gap may close and not more.
        assert!(near(scheme.gap(2e-3, &ROW), 0.2), "{scheme:?}");
    }
}

/// The three forms of one scheme: kappa = 1/h is implicit and gamma = 1, and the acceleration form
/// with alpha = 1/(2h) is the velocity form but for the drift.
#[test]
fn schemes_are_equal_where_they_should_be() {
    let kappa = 1.0 / ROW.h;
    let velocity = Scheme::Baumgarte(Baumgarte::Velocity { kappa });
    for value in [-3e-3, 4e-3] {
        let expected = Scheme::Implicit.equality(value, &ROW);
        for scheme in [velocity, Scheme::Gamma { gamma: 1.0 }] {
            assert!((scheme.equality(value, &ROW) - expected).abs() < 1e-12);
            let gap = Scheme::Implicit.gap(value, &ROW);
            assert!((scheme.gap(value, &ROW) - gap).abs() < 1e-12);
        }
        let drifting = expected + ROW.h * ROW.drift;
        assert!((forgetful(kappa).equality(value, &ROW) - drifting).abs() < 1e-12);
    }
}

/// A contact with e = 0.5 about to meet without forces.
fn meeting(separation: f64, velocity: f64) -> Meeting {
    Meeting {
        separation,
        velocity,
        gain: 0.0,
        restitution: 0.5,
    }
}

#[test]
fn restitution_and_a_push_ask_for_the_faster_separation() {
    let bias = |gap, separation, velocity| meeting(separation, velocity).bias(gap, 0.1, 0.01);
    // Touching: the bounce of 0.5 m/s, or a push that is faster.
    assert_eq!(bias(-0.2, -1e-3, -1.0), -0.5);
    assert_eq!(bias(-0.8, -1e-3, -1.0), -0.8);
    // Apart, but met within the step: the bounce. Too slow or too far: the gap.
    assert_eq!(bias(0.5, 5e-3, -1.0), -0.5);
    assert_eq!(bias(0.5, 5e-3, -0.05), 0.5);
    assert_eq!(bias(2.0, 2e-2, -1.0), 2.0);
}

/// A body that falls is to rise to `e^2` of its height, wherever between two steps it meets the ground.
#[test]
fn restitution_holds_at_the_surface() {
    let (g, h, e) = (9.81, 1.0 / 60.0, 0.5);
    for height in [0.3_f64, 0.5, 0.77, 1.0] {
        for softness in [0.0, 0.1] {
            let (mut gap, mut velocity, mut top) = (height, 0.0_f64, 0.0_f64);
            let mut has_met = false;
            for _ in 0..60 {
                let meeting = Meeting {
                    separation: gap,
                    velocity,
                    gain: -g * h,
                    restitution: e,
                };
                let row = meeting.row((gap.max(0.0) / h, softness), 0.1, h);
                let free = velocity - g * h;
                // The impulse of a body of unit mass: `free + r + bias + eps r >= 0`.
                let impulse = (-(free + row.bias) / (1.0 + row.softness)).max(0.0);
                velocity = free + impulse;
                gap += h * velocity;
                has_met |= impulse > 0.0;
                if has_met && velocity < 0.0 {
                    break;
                }
                top = if has_met { top.max(gap) } else { 0.0 };
            }
            // The discrete top lies within the way of half a step of the true one.
            let off = top - e * e * height;
            assert!(
                off.abs() < 0.25 * g * h * h,
                "{height} m, softness {softness}: {off} m"
            );
        }
    }
}

#[test]
fn parameters_without_meaning_are_refused() {
    let velocity = |kappa| Scheme::Baumgarte(Baumgarte::Velocity { kappa });
    let acceleration = |alpha, beta| Scheme::Baumgarte(Baumgarte::Acceleration { alpha, beta });
    for scheme in [
        velocity(0.0),
        velocity(-1.0),
        velocity(f64::NAN),
        velocity(f64::INFINITY),
        acceleration(-1.0, 1.0),
        acceleration(1.0, -1.0),
        acceleration(f64::NAN, 1.0),
        Scheme::Gamma { gamma: 0.0 },
        Scheme::Gamma { gamma: 2.0 },
        Scheme::Gamma { gamma: f64::NAN },
    ] {
        for stabilization in [
            Stabilization {
                contacts: scheme,
                ..Stabilization::both(Scheme::Post)
            },
            Stabilization {
                joints: scheme,
                ..Stabilization::both(Scheme::Post)
            },
        ] {
            let settings = Settings {
                stabilization,
                ..Settings::post_stabilized()
            };
            assert!(settings.validate().is_err(), "{scheme:?}");
        }
    }
    // Unstable, but a matter of the step.
    assert!(velocity(1e6).validate().is_ok());
}
