//! Pages of the web app that mails link to.

/// Where owners see their grants.
pub(crate) const OWNERS_GRANTS: &str = "/settings#grants";
pub(crate) const ELECTRICIANS_GRANTS: &str = "/electrician-settings#grants";
pub(crate) const OWNERS_SETTINGS: &str = "/settings";
pub(crate) const OWNERS_ALARMS: &str = "/alarms";
pub(crate) const ELECTRICIANS_ALARMS: &str = "/electrician-dashboard?show=alarm";
/// Where owners see the plan, and turn it on and off.
pub(crate) const PLAN: &str = "/plan";
pub(crate) const LOGIN: &str = "/login";
/// Where somebody goes who did not do what the mail reports.
pub(crate) const LOCK: &str = "/lock";
/// Where a new password is set; the token is appended when the mail is sent.
pub(crate) const PASSWORD_RESET: &str = "/password_reset#token=";

/// Where an electrician sees all systems.
pub(crate) const ELECTRICIANS_SYSTEMS: &str = "/electrician-dashboard";

/// Where an electrician sees one system.
pub(crate) fn electricians_system(sn: &domain::Serial) -> String {
    format!("/electrician-dashboard/{sn}")
}

/// Where owners see who works for their company.
pub(crate) const COMPANY: &str = "/electrician-settings#company";

/// Where an invitation to a company is accepted.
pub(crate) fn join(token: &str) -> String {
    format!("/join#token={token}")
}

/// Where a mailed code is entered.
pub(crate) fn enter_key(code: &str) -> String {
    format!("/register#key={code}")
}

/// Where the update of a system is followed.
pub(crate) fn update(sn: &domain::Serial) -> String {
    format!("/update?sn={sn}")
}

/// Where the updates of all systems are followed.
pub(crate) const UPDATES: &str = "/update";

/// Where a new address is confirmed.
pub(crate) fn confirm_email(token: &str) -> String {
    format!("/settings#email={token}")
}
