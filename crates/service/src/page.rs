//! Pages of the web app that mails link to.

/// Where owners see their grants.
pub(crate) const OWNERS_GRANTS: &str = "/settings#grants";
pub(crate) const ELECTRICIANS_GRANTS: &str = "/electrician-settings#grants";
pub(crate) const OWNERS_SETTINGS: &str = "/settings";
pub(crate) const OWNERS_ALARMS: &str = "/alarms";
pub(crate) const ELECTRICIANS_ALARMS: &str = "/electrician-dashboard?show=alarm";
/// Where owners see the plan, and turn it on and off.
pub(crate) const PLAN: &str = "/plan";

/// Where an electrician sees one system.
pub(crate) fn electricians_system(sn: &domain::Serial) -> String {
    format!("/electrician-dashboard/{sn}")
}

/// Where a mailed code is entered.
pub(crate) fn enter_key(code: &str) -> String {
    format!("/register#key={code}")
}

/// Where the update of a system is followed.
pub(crate) fn update(sn: &domain::Serial) -> String {
    format!("/update?sn={sn}")
}
