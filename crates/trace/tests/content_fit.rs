//! The fit finds the parameters of workloads that were made with them.

#![allow(clippy::unwrap_used)] // a test may stop where it stands

use rewear_trace::{ContentFit, Defaults, analyse, fit_content, workload};

const REQUESTS: &str = "zipf:theta=0.6,pages=10000,requests=60000";

fn fitted(content: &str) -> ContentFit {
    fit_content(&mut *workload(&format!("{REQUESTS},{content}"), &Defaults::default()).unwrap()).unwrap()
}

fn removed(content: &str) -> f64 {
    let spec = format!("{REQUESTS},seed=2,{content}");
    let found = analyse(&mut *workload(&spec, &Defaults::default()).unwrap()).unwrap();
    found.content.recycling.unwrap().removed_share.unwrap()
}

fn close(name: &str, found: f64, expected: f64, tolerance: f64) {
    assert!((found - expected).abs() <= tolerance, "{name}: {found} instead of {expected}");
}

#[test]
fn the_parameters_of_made_up_content_are_found() {
    for (values, popularity, new, returns, depth, same, churn) in [
        (3000.0, 0.9, 0.6, 0.15, 2.0, 0.05, 0.0),
        (500.0, 1.1, 0.4, 0.0, 1.0, 0.0, 0.05),
        (2000.0, 0.7, 0.2, 0.4, 3.0, 0.2, 0.02),
        (8000.0, 0.5, 0.0, 0.05, 1.5, 0.0, 0.0),
    ] {
        let content = format!(
            "content=locality,values={values},popularity={popularity},new={new},return={returns},depth={depth},same={same},churn={churn}"
        );
        let fit = fitted(&content);
        let about = format!("{content} became {} (distance {})", fit.parameters(), fit.distance);
        close(&about, fit.same, same, 0.01);
        close(&about, fit.returns, returns, 0.02);
        if returns > 0.1 {
            close(&about, fit.depth, depth, 0.2 * depth);
        }
        // New contents and those of a large pool that come once look alike.
        close(&about, fit.new, new, 0.08);
        close(&about, fit.popularity, popularity, 0.15);
        close(&about, (fit.values as f64 / values).ln(), 0.0, 0.5);
        close(&about, fit.churn, churn, 0.015);
        assert!(fit.distance < 0.03, "{about}");
        // The purpose of the parameters: a workload made with the fitted ones is worth as much to
        // recycling.
        close(&about, removed(&fit.parameters()), removed(&content), 0.03);
    }
}

#[test]
fn content_that_never_comes_again_is_new() {
    let fit = fitted("content=locality,new=1,return=0");
    assert_eq!((fit.new, fit.returns, fit.same), (1.0, 0.0, 0.0));
    assert!(workload(&format!("zipf:{}", fit.parameters()), &Defaults::default()).is_ok());
}

#[test]
fn a_trace_without_content_is_refused() {
    let error = fit_content(&mut *workload("zipf:requests=100", &Defaults::default()).unwrap()).unwrap_err();
    assert!(error.to_string().contains("content"), "{error}");
}
